import { handled, listen } from '../queues/by-hand.ts';

/** As many messages are held at a time as the service holds. */
const prefetch = 50;
const variable = (name: string): string => process.env[name]!;

/** What is done with each message: it is read. */
function handle(bytes: Uint8Array): void {
  JSON.parse(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString());
  handled();
}

/** What a good engineer writes by hand to take messages, with the library of each server. */
const takers: Readonly<Record<string, () => Promise<unknown>>> = {
  async rabbitmq() {
    const { connect } = await import('amqplib');
    const channel = await (await connect(variable('BROKER_URL'))).createChannel();
    await channel.prefetch(prefetch);
    await channel.consume(variable('QUEUE'), (message) => {
      if (message === null) return;
      handle(message.content);
      channel.ack(message);
    });
  },
  async jetstream() {
    const { connect } = await import('@nats-io/transport-node');
    const { jetstream } = await import('@nats-io/jetstream');
    const name = variable('STREAM');
    const consumer = await jetstream(await connect({ servers: variable('NATS_URL') })).consumers.get(name, name);
    await consumer.consume({
      max_messages: prefetch,
      callback: (message) => {
        handle(message.data);
        message.ack();
      },
    });
  },
  async kafka() {
    const { default: kafkajs } = await import('kafkajs');
    const kafka = new kafkajs.Kafka({ brokers: variable('BROKERS').split(','), logLevel: kafkajs.logLevel.NOTHING });
    const consumer = kafka.consumer({ groupId: variable('TOPIC') });
    await consumer.connect();
    await consumer.subscribe({ topic: variable('TOPIC'), fromBeginning: true });
    await consumer.run({ eachMessage: async ({ message }) => handle(message.value!) });
  },
  async mqtt() {
    const { connect } = await import('mqtt');
    const client = connect(variable('BROKER_URL'), {
      clientId: variable('CLIENT'),
      clean: false,
      protocolVersion: 5,
      properties: { sessionExpiryInterval: 600, receiveMaximum: prefetch },
    });
    client.on('message', (_, payload) => handle(payload));
  },
  async channels() {
    const { Redis } = await import('ioredis');
    const client = new Redis(variable('REDIS_URL'));
    client.on('messageBuffer', (_, message: Buffer) => handle(message));
    await client.subscribe(variable('CHANNEL'));
  },
};

await takers[variable('SOURCE')]!();
listen();
