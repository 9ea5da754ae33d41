import { afterAll } from 'vitest';
import { ChangeBed } from './database/mongodb/testing/source-bed.ts';
import { ChangeBed as TableBed } from './database/postgres/changes/testing/bed.ts';
import { hasCluster, startCluster } from './database/postgres/changes/testing/cluster.ts';
import { EventBed } from './graphql/client/testing/bed.ts';
import { LogBed } from './mq/log/testing/source-bed.ts';
import { NatsBed, natsUrl } from './mq/nats/testing/bed.ts';
import { ChannelBed, redisUrl } from './mq/pubsub/testing/bed.ts';
import { queueBed } from './mq/testing/bed.ts';
import { brokerUrl } from './mq/testing/broker.ts';
import { MqttBed, mqttUrl } from './mqtt/testing/bed.ts';
import { consumerPeerConformance, type PeerConsumer } from './testing/peers/consumer-conformance.ts';

const cluster = hasCluster ? await startCluster() : undefined;
afterAll(() => cluster?.stop());

/** A further connector that takes messages is a line of the table. */
const consumers: readonly PeerConsumer[] = [
  { name: 'graphql/client', bed: () => EventBed.make({ isBound: true }) },
  { name: 'mqtt', bed: mqttUrl === undefined ? undefined : () => MqttBed.make() },
  { name: 'database/mongodb', bed: () => ChangeBed.make() },
  { name: 'database/postgres/changes', bed: cluster && (() => TableBed.make(cluster)) },
  { name: 'mq/log', bed: () => LogBed.make() },
  { name: 'mq/amqp', bed: brokerUrl === undefined ? undefined : queueBed },
  { name: 'mq/nats of a stream', bed: natsUrl === undefined ? undefined : () => NatsBed.ofStream() },
  { name: 'mq/nats of subjects', bed: natsUrl === undefined ? undefined : () => NatsBed.ofSubjects() },
  { name: 'mq/pubsub', bed: redisUrl === undefined ? undefined : () => ChannelBed.make() },
];

consumerPeerConformance(consumers);
