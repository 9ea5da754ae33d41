import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { knownHost, sshAccess } from '../../../../../test/support/servers/sshd.ts';
import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../ssh/connector.ts';
import { execSsh } from '../ssh/spec.ts';
import { atEnd, type Written } from './bed.ts';
import { waitingProgram } from './target-bed.ts';

/** The server of the tests; undefined where it does not run. */
export const sshUrl = process.env['TEST_SSH_URL'];

/** The block `ssh` that reaches the server of the tests, at another port where that is given. */
export function sshBlock(port?: number): Written {
  const access = sshAccess(sshUrl as string);
  const at = { ...access, port: port ?? access.port };
  const file = join(folderWith(), 'known_hosts');
  writeFileSync(file, knownHost(at));
  return { host: at.host, port: at.port, user: access.username, key_file: access.keyFile, known_hosts: file };
}

export function makeSsh(
  written: Written,
  services: ConnectorServices = connectorServices({ directory: folderWith() }),
): TargetConnector {
  return create('remote', configured(execSsh.config, { ssh: sshBlock(), ...written }), services) as TargetConnector;
}

/** An open connector, closed when the test ends. */
export async function openSsh(written: Written, services?: ConnectorServices): Promise<TargetConnector> {
  const connector = makeSsh(written, services);
  atEnd(() => connector.close(AbortSignal.abort()));
  await connector.open(new AbortController().signal);
  return connector;
}

const secret = 'kept-secret-of-env';

/** Programs behind the server of the tests, through a proxy. */
export async function sshBed(): Promise<TargetBed> {
  const proxy = await faultProxy({ port: sshAccess(sshUrl as string).port });
  const waiting = waitingProgram();
  return {
    spec: execSsh,
    connector: (services) =>
      makeSsh(
        {
          command: 'sh',
          args: ['-c'],
          output_format: 'text',
          kill_after: 100,
          max_processes: 8,
          timeout: 120_000,
          env: { API_TOKEN: secret },
          ssh: sshBlock(proxy.port),
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
    proxy,
    sideBySide: 20,
    malformed: ['a\0b'],
    secrets: [secret],
    close: async () => {
      waiting.release();
      await proxy.close();
    },
  };
}

const origin = { file: 'test.hcl', range: { start: 0, end: 0 } };
