import kafkajs from 'kafkajs';
import { brokersIn, kafka as server } from '../../support/servers/kafka/server.ts';
import { KafkaStandIn } from '../../support/servers/kafka/stand-in.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply, withServer } from './source.ts';

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

/** Where there is no broker, and no Java to start one, a stand-in runs in this process; rates are its own then. */
const hasBroker = process.env[server.variable] !== undefined || server.isInstalled();

export const kafka: Source = {
  name: 'kafka',
  title: hasBroker ? 'a topic of Kafka' : 'a topic of the stand-in for Kafka',
  keeps: true,
  warmUp: 50_000,
  measured: 150_000,
  async serve(work) {
    if (hasBroker) return withServer(server, (url) => work(() => openTopic([brokersIn(url).brokers])));
    const standIn = await KafkaStandIn.start();
    try {
      return await work(() => openTopic(standIn.brokers));
    } finally {
      await standIn.stop();
    }
  },
};
