import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { Jars } from '../../support/servers/brought/jars.ts';
import { mosquitto } from '../../support/servers/mosquitto.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { brief, missingFor } from '../java.ts';
import { mqttPeer } from './peer.ts';

const version = '0.17';
const jars = new Jars({ name: 'moquette', version, artifacts: [`io.moquette:moquette-broker:${version}`] });

async function start(): Promise<RunningServer> {
  const libraries = await jars.classPath();
  const folder = makeFolder('moquette');
  const port = await freePort();
  const settings = ['host 127.0.0.1', `port ${port}`, 'allow_anonymous true', 'persistence_enabled false'];
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/moquette.conf'), `${settings.join('\n')}\n`);
  return startProgram({
    program: findProgram('java') as string,
    args: [...brief, `-Dmoquette.path=${folder}`, '-cp', libraries, 'io.moquette.broker.Server'],
    folder,
    address: `mqtt://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers: mosquitto.answers,
  });
}

export const moquette = mqttPeer({
  name: 'Moquette',
  version,
  missing: () => missingFor(jars),
  start,
  differs: [
    { checks: /mqtt 5|version 5/, because: 'it speaks 3.1.1 alone' },
    {
      checks: /none is lost|mqtt (R-05|R-66|stopped in the middle)/,
      because:
        'what a client had not acknowledged when its connection ended is lost when another message came before it returned',
    },
    { checks: /a share group/, because: 'it has no shared subscriptions (`share_group`)' },
    {
      checks: /retained = false/,
      because: 'it does not mark what it had kept (`_retained`), so that `retained = false` does not keep it back',
    },
  ],
});
