import { freePort } from '../../support/free-port.ts';
import { GoProgram } from '../../support/servers/brought/go-program.ts';
import { mosquitto } from '../../support/servers/mosquitto.ts';
import { makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { mqttPeer } from './peer.ts';

const version = '2.7.9';
const program = new GoProgram({ name: 'mochi-mqtt', version, package: 'github.com/mochi-mqtt/server/v2/cmd' });

async function start(): Promise<RunningServer> {
  const path = await program.made();
  const port = await freePort();
  const at = (number: number) => `127.0.0.1:${number}`;
  return startProgram({
    program: path,
    args: ['-tcp', at(port), '-ws', at(0), '-info', at(0)],
    folder: makeFolder('mochi'),
    address: `mqtt://${at(port)}`,
    signal: 'SIGTERM',
    answers: mosquitto.answers,
  });
}

export const mochi = mqttPeer({
  name: 'Mochi MQTT',
  version,
  missing: () => (program.isInstalled ? undefined : 'go (apt-get install golang-go)'),
  start,
  differs: [],
});
