import kafkajs from 'kafkajs';
import { brokersIn } from '../../support/servers/kafka/server.ts';
import { KafkaStandIn } from '../../support/servers/kafka/stand-in.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply } from './source.ts';

async function openTopic(brokers: readonly string[]): Promise<Supply> {
  const kafka = new kafkajs.Kafka({ clientId: 'bench', brokers: [...brokers], logLevel: kafkajs.logLevel.NOTHING });
  const admin = kafka.admin();
  const producer = kafka.producer({ createPartitioner: kafkajs.Partitioners.DefaultPartitioner });
  await admin.connect();
  await producer.connect();
  const topic = ownName();
  await admin.createTopics({ topics: [{ topic, numPartitions: 1 }] });
  return {
    env: { BROKERS: brokers.join(','), TOPIC: topic },
    send: (from, count) =>
      inPieces(from, count, (ids) => producer.send({ topic, messages: ids.map((id) => ({ value: bytesOf(id) })) })),
    close: async () => {
      await admin.deleteTopics({ topics: [topic] }).catch(() => undefined);
      await producer.disconnect();
      await admin.disconnect();
    },
  };
}

/** A stand-in for brokers runs in this process, so that rates are its own; of the sides, processor time is compared. */
export const log: Source = {
  name: 'log',
  title: 'a topic of the stand-in for Kafka',
  keeps: true,
  warmUp: 50_000,
  measured: 150_000,
  async serve(work) {
    const given = process.env['TEST_KAFKA_URL'];
    if (given !== undefined) return work(() => openTopic([brokersIn(given).brokers]));
    const standIn = await KafkaStandIn.start();
    try {
      return await work(() => openTopic(standIn.brokers));
    } finally {
      await standIn.stop();
    }
  },
};
