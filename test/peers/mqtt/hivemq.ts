import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { Jars } from '../../support/servers/brought/jars.ts';
import { mosquitto } from '../../support/servers/mosquitto.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { brief, missingFor } from '../java.ts';
import { mqttPeer } from './peer.ts';

const version = '2025.5';
const artifacts = [`com.hivemq:hivemq-community-edition-embedded:${version}`];
const jars = new Jars({ name: 'hivemq', version, artifacts });

const settings = (port: number) => `<?xml version="1.0"?>
<hivemq>
  <listeners><tcp-listener><port>${port}</port><bind-address>127.0.0.1</bind-address></tcp-listener></listeners>
  <mqtt><receive-maximum><server-receive-maximum>100</server-receive-maximum></receive-maximum></mqtt>
  <anonymous-usage-statistics><enabled>false</enabled></anonymous-usage-statistics>
</hivemq>
`;

async function start(): Promise<RunningServer> {
  const libraries = await jars.classPath();
  const folder = makeFolder('hivemq');
  const port = await freePort();
  writeFileSync(join(folder, 'config.xml'), settings(port));
  return startProgram({
    program: findProgram('java') as string,
    args: [...brief, '-cp', libraries, join(import.meta.dirname, 'HiveMq.java'), folder],
    folder,
    address: `mqtt://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers: mosquitto.answers,
  });
}

export const hivemq = mqttPeer({
  name: 'HiveMQ CE',
  version,
  missing: () => missingFor(jars),
  start,
  differs: [
    {
      checks: 'an MQTT client quality of service',
      because: 'a `keep_alive` of one second loses its connection again and again: two seconds or more',
      sometimes: true,
    },
    {
      checks: /R-66|A-03: failing|R-05, A-04: a message|R-17, A-07/,
      because:
        'it sends nothing more while a message that it sent is not acknowledged: one whose flow fails or takes long holds up the others',
    },
    {
      checks: /a share group divides/,
      because: 'a few messages at once may all go to one client of a `share_group`',
    },
  ],
});
