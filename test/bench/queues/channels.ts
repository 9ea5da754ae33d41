import { Redis } from 'ioredis';
import { redis } from '../../support/servers/redis.ts';
import { bytesOf } from './order.ts';
import { inPieces, ownName, type Source, type Supply, withServer } from './source.ts';

async function openChannel(url: string): Promise<Supply> {
  const client = new Redis(url);
  const channel = ownName();
  return {
    env: { REDIS_URL: url, CHANNEL: channel },
    send: (from, count) =>
      inPieces(from, count, async (ids) => {
        const pipeline = client.pipeline();
        for (const id of ids) pipeline.publish(channel, bytesOf(id));
        await pipeline.exec();
      }),
    close: async () => void (await client.quit()),
  };
}

/** The server keeps nothing and waits for no client: the sides hold what they have no time for. */
export const channels: Source = {
  name: 'channels',
  title: 'a channel of Redis',
  keeps: false,
  warmUp: 50_000,
  measured: 150_000,
  serve: (work) => withServer(redis, (url) => work(() => openChannel(url))),
};
