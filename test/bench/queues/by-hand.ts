import { createServer } from 'node:http';
import { connect } from 'amqplib';

/** A message of the queue. */
export interface Order {
  readonly id: number;
  readonly name: string;
  readonly email: string;
  readonly price: number;
  readonly count: number;
}

/**
 * What a good engineer writes by hand to take messages: one at a time is handed to `write`, up to fifty are under way, and
 * each is acknowledged after its row is written.
 */
export async function takeByHand(write: (order: Order, total: number) => unknown): Promise<void> {
  const model = await connect(process.env['BROKER_URL']!);
  const channel = await model.createChannel();
  await channel.prefetch(50);
  await channel.consume(process.env['QUEUE']!, async (message) => {
    if (message === null) return;
    try {
      const order = JSON.parse(message.content.toString()) as Order;
      await write({ ...order, name: order.name.trim(), email: order.email.toLowerCase() }, order.price * order.count);
      channel.ack(message);
    } catch {
      channel.nack(message);
    }
  });
  createServer((_, answer) => answer.end('{"status":"ready"}')).listen(Number(process.env['PORT']), '127.0.0.1');
  process.on('SIGTERM', () => process.exit());
}
