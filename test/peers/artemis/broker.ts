import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { Jars } from '../../support/servers/brought/jars.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { brief } from '../java.ts';

export const artemisVersion = '2.40.0';
const artifact = (name: string) => `org.apache.activemq:artemis-${name}:${artemisVersion}`;
export const artemisJars = new Jars({
  name: 'artemis',
  version: artemisVersion,
  artifacts: [
    artifact('server'),
    artifact('mqtt-protocol'),
    artifact('amqp-protocol'),
    'org.slf4j:slf4j-simple:2.0.17',
  ],
});

const settings = (port: number, protocol: string) => `<?xml version="1.0"?>
<configuration xmlns="urn:activemq">
  <core xmlns="urn:activemq:core">
    <persistence-enabled>false</persistence-enabled>
    <security-enabled>false</security-enabled>
    <acceptors><acceptor name="${protocol}">tcp://127.0.0.1:${port}?protocols=${protocol}</acceptor></acceptors>
  </core>
</configuration>
`;

/** Starts a broker in memory that speaks one protocol: `MQTT` or `AMQP`. */
export async function startArtemis(
  protocol: 'MQTT' | 'AMQP',
  answers: (address: string) => Promise<boolean>,
): Promise<RunningServer> {
  const libraries = await artemisJars.classPath();
  const folder = makeFolder('artemis');
  const port = await freePort();
  mkdirSync(join(folder, 'etc'));
  writeFileSync(join(folder, 'etc/broker.xml'), settings(port, protocol));
  return startProgram({
    program: findProgram('java') as string,
    args: [...brief, '-cp', libraries, 'org.apache.activemq.artemis.core.server.embedded.Main', folder],
    folder,
    address: `${protocol.toLowerCase()}://127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers,
  });
}
