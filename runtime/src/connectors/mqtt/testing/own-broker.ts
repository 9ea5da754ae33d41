import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { connectAsync } from 'mqtt';
import { freePort } from '../../../../../test/support/free-port.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram } from '../../../../../test/support/servers/program.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';

const program = findProgram('mosquitto');
export const isMosquittoInstalled = program !== undefined;

/** A broker of its own with a folder for its files and a plain listener. */
export interface OwnBroker {
  /** `tcp://127.0.0.1:port` of the plain listener. */
  readonly url: string;
  readonly stop: RunningServer['stop'];
}

/** A folder that the broker may read. */
export function brokerFolder(name: string): string {
  const folder = makeFolder(name, ordinaryUser('mosquitto'));
  chmodSync(folder, 0o755);
  return folder;
}

/** Starts a broker whose configuration has these lines behind its plain listener. */
export async function ownBroker(folder: string, lines: readonly string[]): Promise<OwnBroker> {
  const port = await freePort();
  const configuration = ['per_listener_settings true', `listener ${port} 127.0.0.1`, 'allow_anonymous true', ...lines];
  writeFileSync(join(folder, 'mosquitto.conf'), `${configuration.join('\n')}\n`);
  const address = `mqtt://127.0.0.1:${port}`;
  const broker = await startProgram({
    program: program as string,
    args: ['-c', join(folder, 'mosquitto.conf')],
    folder,
    user: ordinaryUser('mosquitto'),
    address,
    signal: 'SIGTERM',
    answers: () =>
      connectAsync(address, { reconnectPeriod: 0 }).then(
        (client) => client.endAsync().then(() => true),
        () => false,
      ),
  });
  return { url: `tcp://127.0.0.1:${port}`, stop: () => broker.stop() };
}
