import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { knownHost, sshAccess } from '../../../../../test/support/servers/sshd.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../ssh/connector.ts';
import { execSsh } from '../ssh/spec.ts';
import { atEnd, type Written } from './bed.ts';
import { shellBed } from './target-bed.ts';

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

/** Programs behind the server of the tests, through a proxy. */
export async function sshBed(): Promise<TargetBed> {
  const proxy = await faultProxy({ port: sshAccess(sshUrl as string).port });
  const bed = shellBed(execSsh, makeSsh, { max_processes: 8, timeout: 120_000, ssh: sshBlock(proxy.port) });
  return {
    ...bed,
    proxy,
    sideBySide: 20,
    close: async () => {
      await bed.close();
      await proxy.close();
    },
  };
}
