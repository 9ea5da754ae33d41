import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { mosquitto } from '../../support/servers/mosquitto.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { classPath, missingJava } from '../jars.ts';
import type { Peer } from '../peer.ts';
import { runSuites } from '../suites.ts';
import { mqttSuites } from './suites.ts';

const version = '0.17';

async function start(): Promise<RunningServer> {
  const folder = makeFolder('moquette');
  const port = await freePort();
  const libraries = await classPath(folder, [`io.moquette:moquette-broker:${version}`]);
  const settings = ['host 127.0.0.1', `port ${port}`, 'allow_anonymous true', 'persistence_enabled false'];
  mkdirSync(join(folder, 'config'));
  writeFileSync(join(folder, 'config/moquette.conf'), `${settings.join('\n')}\n`);
  return startProgram({
    program: findProgram('java') as string,
    args: ['-Xmx256m', `-Dmoquette.path=${folder}`, '-cp', libraries, 'io.moquette.broker.Server'],
    folder,
    address: `mqtt://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers: mosquitto.answers,
  });
}

export const moquette: Peer = {
  name: 'Moquette',
  version,
  ran: 'MQTT sources and targets',
  missing: missingJava,
  run: (tell) => runSuites(start(), mqttSuites, tell),
  differs: [],
};
