import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Methods of the class connection that a broker sends without being asked (RabbitMQ, blocked connections). */
const connectionClass = 10;
const [blocked, unblocked] = [60, 61] as const;
const frameEnd = 0xce;

/** A proxy in front of a broker that reports over every connection that it takes no messages, as one short of memory does. */
export interface BlockingBroker {
  readonly url: string;
  /** With a reason the broker says that it is blocked, without one that it is not any more. */
  block(reason?: string): void;
  close(): Promise<void>;
}

/** @param url address of the broker, as `TEST_RABBITMQ_URL` has it */
export async function blockingBroker(url: string): Promise<BlockingBroker> {
  const { hostname, port } = new URL(url);
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    const broker = connect(Number(port || 5672), hostname);
    clients.add(client);
    client.on('error', () => broker.destroy());
    broker.on('error', () => client.destroy());
    client.on('close', () => {
      clients.delete(client);
      broker.destroy();
    });
    broker.on('close', () => client.destroy());
    client.pipe(broker);
    broker.pipe(client);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: url.replace(/@[^/]*/, `@127.0.0.1:${(server.address() as AddressInfo).port}`),
    block(reason) {
      for (const client of clients) client.write(frameOf(reason));
    },
    close() {
      for (const client of clients) client.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A method frame of channel 0 (AMQP 0-9-1, 4.2.3). */
function frameOf(reason: string | undefined): Buffer {
  const method = reason === undefined ? unblocked : blocked;
  const text = reason === undefined ? [] : [reason.length, ...Buffer.from(reason)];
  const payload = [0, connectionClass, 0, method, ...text] as number[];
  return Buffer.from([1, 0, 0, 0, 0, 0, payload.length, ...payload, frameEnd]);
}
