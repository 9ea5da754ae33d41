import { createServer } from 'node:http';
import { connect } from 'amqplib';
import type { Order } from './order.ts';

let taken = 0;

/** Counts a message that was handled. */
export function handled(): void {
  taken++;
}

/** Says that the program takes messages, and how many it has handled, as a service does. */
export function listen(): void {
  createServer((_, answer) => answer.end(`svc_flow_executions_total{} ${taken}\n`)).listen(
    Number(process.env['PORT']),
    '127.0.0.1',
  );
  process.on('SIGTERM', () => process.exit());
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
      handled();
    } catch {
      channel.nack(message);
    }
  });
  listen();
}
