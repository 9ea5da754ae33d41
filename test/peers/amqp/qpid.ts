import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/free-port.ts';
import { Jars } from '../../support/servers/brought/jars.ts';
import { findProgram, makeFolder, startProgram } from '../../support/servers/program.ts';
import { rabbitmq } from '../../support/servers/rabbitmq.ts';
import type { RunningServer } from '../../support/servers/server.ts';
import { brief, missingFor } from '../java.ts';
import type { Peer } from '../peer.ts';
import { runSuites, type Suites, withServer } from '../suites.ts';

const version = '9.2.0';
const artifacts = ['broker-core', 'broker-plugins-amqp-0-8-protocol', 'broker-plugins-memory-store'];
const jars = new Jars({
  name: 'qpid-broker-j',
  version,
  artifacts: [...artifacts.map((name) => `org.apache.qpid:qpid-${name}:${version}`), 'org.slf4j:slf4j-simple:2.0.17'],
});

const settings = (port: number) => ({
  name: 'svc',
  modelVersion: '9.1',
  authenticationproviders: [
    {
      name: 'plain',
      type: 'Plain',
      secureOnlyMechanisms: [],
      users: [{ name: 'guest', type: 'managed', password: 'guest' }],
    },
  ],
  ports: [
    {
      name: 'AMQP',
      port: String(port),
      bindingAddress: '127.0.0.1',
      authenticationProvider: 'plain',
      protocols: ['AMQP_0_9_1'],
      virtualhostaliases: ['nameAlias', 'defaultAlias', 'hostnameAlias'].map((name) => ({ name, type: name })),
    },
  ],
  virtualhostnodes: [
    {
      name: 'default',
      type: 'Memory',
      defaultVirtualHostNode: 'true',
      virtualHostInitialConfiguration: '{"type":"Memory"}',
    },
  ],
});

async function start(): Promise<RunningServer> {
  const libraries = await jars.classPath();
  const folder = makeFolder('qpid');
  const port = await freePort();
  const file = join(folder, 'config.json');
  writeFileSync(file, JSON.stringify(settings(port)));
  return startProgram({
    program: findProgram('java') as string,
    args: [...brief, '-cp', libraries, join(import.meta.dirname, 'Qpid.java'), file],
    folder,
    address: `amqp://guest:guest@127.0.0.1:${port}`,
    signal: 'SIGTERM',
    answers: rabbitmq.answers,
  });
}

const suites: Suites = {
  variable: 'TEST_RABBITMQ_URL',
  paths: { runtime: ['src/connectors/mq/amqp/conformance.test.ts'] },
};

export const qpid: Peer = {
  name: 'Qpid Broker-J',
  version,
  ran: 'AMQP 0-9-1 sources and targets',
  needs: [],
  missing: () => missingFor(jars),
  run: (tell) => withServer(start(), (address) => runSuites(address, suites, tell)),
  differs: [
    {
      checks: /dead letters of/,
      because:
        'it refuses queues with arguments of RabbitMQ, such as `x-dead-letter-exchange`, `x-queue-type` and `x-max-length`',
    },
    { checks: /what is asked/, because: 'it answers no requests: `amq.rabbitmq.reply-to` is of RabbitMQ' },
  ],
};
