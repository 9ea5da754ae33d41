import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../../../../../test/support/folder.ts';
import { isAlive } from '../../../processes/testing/alive.ts';
import type { TargetBed } from '../../testing/target-conformance.ts';
import { execLocal } from '../local/spec.ts';
import { makeConnector } from './bed.ts';

const secret = 'kept-secret-of-env';

/** A script that waits until it is released, however often it is run. */
export function waitingProgram() {
  const folder = folderWith();
  const released = join(folder, 'released');
  const begun = () =>
    readdirSync(folder)
      .filter((name) => name.startsWith('pid.'))
      .map((name) => Number(name.slice('pid.'.length)));
  return {
    script: `touch ${folder}/pid.$$; while [ ! -e ${released} ]; do sleep 0.05; done`,
    hasBegun: () => begun().length > 0,
    isLeft: () => begun().some(isAlive),
    release: () => writeFileSync(released, ''),
  };
}

/** Programs of this machine: one that prints what it reads, and one that waits. */
export async function localBed(): Promise<TargetBed> {
  const waiting = waitingProgram();
  return {
    spec: execLocal,
    connector: (services) =>
      makeConnector(
        {
          command: 'sh',
          args: ['-c'],
          output_format: 'text',
          kill_after: 100,
          max_processes: 4,
          env: { API_TOKEN: secret },
        },
        services,
      ),
    call: { named: { command: 'cat', args: [] }, written: { stdin: { kind: 'constant', value: '', origin } } },
    echo: async (execute, text) => {
      const { value } = await execute({ words: { stdin: text } });
      return (value as { readonly output: string }).output;
    },
    stuck: {
      call: { operation: waiting.script },
      request: {},
      begun: waiting.hasBegun,
      release: waiting.release,
      isLeft: waiting.isLeft,
    },
    malformed: ['a\0b'],
    secrets: [secret],
    close: async () => waiting.release(),
  };
}

const origin = { file: 'test.hcl', range: { start: 0, end: 0 } };
