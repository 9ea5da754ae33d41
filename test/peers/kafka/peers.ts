import { join } from 'node:path';
import { GoProgram } from '../../support/servers/brought/go-program.ts';
import { Jars } from '../../support/servers/brought/jars.ts';
import { PythonPackage } from '../../support/servers/brought/python-package.ts';
import { brokersIn, startKafka } from '../../support/servers/kafka/server.ts';
import { findProgram } from '../../support/servers/program.ts';
import { missingFor } from '../java.ts';
import type { Peer } from '../peer.ts';
import { withServer } from '../suites.ts';
import { checkClient } from './checks.ts';
import type { KafkaClient } from './client.ts';

/** What a single broker needs for transactions; groups come together soon. */
const settings = [
  'transaction.state.log.replication.factor=1',
  'transaction.state.log.min.isr=1',
  'group.initial.rebalance.delay.ms=100',
];

const clients = join(import.meta.dirname, 'clients');
const jars = new Jars({
  name: 'kafka-clients',
  version: '4.4.0',
  artifacts: [
    'org.apache.kafka:kafka-clients:4.4.0',
    'com.fasterxml.jackson.core:jackson-databind:2.18.2',
    'org.slf4j:slf4j-simple:1.7.36',
  ],
});
const python = new PythonPackage({ name: 'confluent-kafka', version: '2.16.1' });
const go = new GoProgram({
  name: 'franz-go',
  version: '1.22.3',
  package: 'github.com/twmb/franz-go/pkg/kgo',
  main: join(clients, 'client.go'),
});

interface KafkaPeer extends Omit<Peer, 'ran' | 'run' | 'needs' | 'differs'> {
  readonly client: () => Promise<KafkaClient>;
}

function kafkaPeer({ client, ...peer }: KafkaPeer): Peer {
  return {
    ...peer,
    ran: 'messages for Kafka that one writes and the other reads: codecs, transactions, one group',
    needs: [],
    async run(tell) {
      const made = await client();
      return withServer(startKafka(settings), (address) => checkClient(brokersIn(address).brokers, made, tell));
    },
    differs: [],
  };
}

export const kafkaClients: readonly Peer[] = [
  kafkaPeer({
    name: 'Kafka client of Java',
    version: '4.4.0',
    missing: () => missingFor(jars),
    client: async () => ({
      program: findProgram('java') as string,
      args: ['-XX:TieredStopAtLevel=1', '-cp', await jars.classPath(), join(clients, 'Client.java')],
    }),
  }),
  kafkaPeer({
    name: 'confluent-kafka (Python)',
    version: '2.16.1',
    missing: () => (python.isInstalled ? undefined : 'python3 with venv (apt-get install python3-venv)'),
    client: async () => ({ program: await python.python(), args: [join(clients, 'client.py')] }),
  }),
  kafkaPeer({
    name: 'franz-go (Go)',
    version: '1.22.3',
    missing: () => (go.isInstalled ? undefined : 'go (apt-get install golang-go)'),
    client: async () => ({ program: await go.made(), args: [] }),
  }),
];
