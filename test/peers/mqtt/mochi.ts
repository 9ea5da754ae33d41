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
  differs: [
    {
      checks: /none is lost/,
      because: 'a message that is sent while a client takes up its kept session may be lost',
      sometimes: true,
    },
    {
      checks: 'an MQTT client quality of service',
      because: 'a `keep_alive` of one second loses its connection again and again: two seconds or more',
      sometimes: true,
    },
    {
      checks: /version 5.*at most prefetch|mqtt 5.*(stopped in the middle|with nothing acknowledged)/,
      because:
        'with version 5 it ceases to send, loses and repeats messages, in another order, once `prefetch` are under way: use 3.1.1',
    },
    {
      checks: /version 5 (a flow sees user properties|, and nothing)|user properties, trace/,
      because:
        'with version 5 it acknowledges a message with headers by a reason that the protocol does not have, and its sender loses the connection',
    },
  ],
});
