import { connect, type Options } from 'amqplib';
import { rabbitmq as server } from '../../support/servers/rabbitmq.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply, withServer } from './source.ts';

/** Makes a queue of its own. */
export async function openQueue(url: string, options: Options.AssertQueue = {}): Promise<Supply> {
  const model = await connect(url);
  const channel = await model.createConfirmChannel();
  const { queue } = await channel.assertQueue(ownName(), options);
  return {
    env: { BROKER_URL: url, QUEUE: queue },
    send: (from, count) =>
      inPieces(from, count, async (ids) => {
        for (const id of ids) channel.sendToQueue(queue, bytesOf(id));
        await channel.waitForConfirms();
      }),
    close: async () => {
      await channel.deleteQueue(queue);
      await model.close();
    },
  };
}

export const rabbitmq: Source = {
  name: 'rabbitmq',
  title: 'a queue of RabbitMQ',
  keeps: true,
  warmUp: 30_000,
  measured: 70_000,
  serve: (work) => withServer(server, (url) => work(() => openQueue(url))),
};
