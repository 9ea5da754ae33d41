import { connect, type Options } from 'amqplib';
import { rabbitmq } from '../support/servers/rabbitmq.ts';

/** Where the sides of a comparison find their queue. */
export interface QueueEnvironment extends Record<string, string> {
  readonly BROKER_URL: string;
  readonly QUEUE: string;
}

/** Does the work with a queue of its own, on the broker that is given or one that is started for it. */
export async function withQueue<T>(
  options: Options.AssertQueue,
  work: (env: QueueEnvironment) => Promise<T>,
): Promise<T> {
  const given = process.env[rabbitmq.variable];
  if (given === undefined && !rabbitmq.isInstalled()) throw new Error(`${rabbitmq.name} is not installed`);
  const instance = given === undefined ? await rabbitmq.start() : undefined;
  const url = given ?? (instance?.address as string);
  const model = await connect(url);
  try {
    const channel = await model.createChannel();
    const { queue } = await channel.assertQueue(`svc-bench-${process.pid}`, options);
    const result = await work({ BROKER_URL: url, QUEUE: queue });
    await channel.deleteQueue(queue);
    return result;
  } finally {
    await model.close();
    await instance?.stop();
  }
}
