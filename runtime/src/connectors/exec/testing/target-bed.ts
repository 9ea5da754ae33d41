import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderWith } from '../../../../../test/support/folder.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { isAlive } from '../../../platform/processes/testing/alive.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { execLocal } from '../local/spec.ts';
import { makeConnector, type Written } from './bed.ts';

const secret = 'kept-secret-of-env';

/** A script that waits until it is released, however often it is run. */
function waitingProgram() {
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

/** A shell of which one program prints what it reads, and one waits; `written` is what its driver needs besides. */
export function shellBed(
  spec: TargetBed['spec'],
  make: (written: Written, services: ConnectorServices) => TargetConnector,
  written: Written = {},
): TargetBed {
  const waiting = waitingProgram();
  const shell = {
    command: 'sh',
    args: ['-c'],
    output_format: 'text',
    kill_after: 100,
    max_processes: 4,
    env: { API_TOKEN: secret },
  };
  return {
    spec,
    connector: (services) => make({ ...shell, ...written }, services),
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

/** Programs of this machine. */
export async function localBed(): Promise<TargetBed> {
  return shellBed(execLocal, makeConnector);
}

const origin = { file: 'test.hcl', range: { start: 0, end: 0 } };
