import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../free-port.ts';
import { probe } from './probe.ts';
import { findProgram, makeFolder, ordinaryUser, startProgram } from './program.ts';
import type { RunningServer, Server } from './server.ts';

/** CONNECT of MQTT 3.1.1 with a clean session and an empty client id; the broker answers CONNACK. */
const connect = Uint8Array.of(0x10, 0x0c, 0, 4, 0x4d, 0x51, 0x54, 0x54, 4, 2, 0, 10, 0, 0);
const answers = (address: string): Promise<boolean> => probe(address, connect, /^\x20\x02/);

/** Starts a broker of its own. `lines` are added to its configuration. */
export async function startMosquitto(lines = ''): Promise<RunningServer> {
  const user = ordinaryUser('mosquitto');
  const folder = makeFolder('mosquitto', user);
  const port = await freePort();
  const configuration = join(folder, 'mosquitto.conf');
  writeFileSync(configuration, `listener ${port} 127.0.0.1\nallow_anonymous true\npersistence false\n${lines}\n`);
  return startProgram({
    program: findProgram('mosquitto')!,
    args: ['-c', configuration],
    folder,
    user,
    address: `tcp://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers,
  });
}

export const mosquitto: Server = {
  name: 'Mosquitto',
  variable: 'TEST_MQTT_URL',
  usualAddress: 'tcp://127.0.0.1:1883',
  packages: ['mosquitto'],
  isInstalled: () => findProgram('mosquitto') !== undefined,
  answers,
  start: () => startMosquitto(),
};
