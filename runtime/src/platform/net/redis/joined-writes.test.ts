import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { type FaultProxy, faultProxy } from '../../../../../test/support/proxy.ts';
import { addressOf } from './address.ts';
import { redisClient } from './client.ts';

const server = process.env['TEST_REDIS_URL'];

async function connected(work: (redis: ReturnType<typeof redisClient>, proxy: FaultProxy) => Promise<void>) {
  const { hostname, port } = new URL(server as string);
  const proxy = await faultProxy({ host: hostname, port: Number(port || 6379) });
  const address = addressOf({ url: `redis://127.0.0.1:${proxy.port}`, host: '', port: 0 });
  const redis = redisClient({ address, timeout: 20_000, connectTimeout: 20_000, name: 'test' });
  redis.on('error', () => undefined);
  try {
    await redis.connect();
    await work(redis, proxy);
  } finally {
    redis.disconnect();
    await proxy.close();
  }
}

test.skipIf(server === undefined)('commands of one turn leave together, in their order, and each has its answer', () =>
  connected(async (redis, proxy) => {
    const key = randomUUID();
    proxy.sends = 0;
    // Each asks in a task of its own, as messages do that came with one poll of the system.
    const asked = Array.from({ length: 50 }, async (_, at) => {
      for (let wait = 0; wait < at % 7; wait++) await Promise.resolve();
      return redis.incrby(key, 1);
    });
    expect((await Promise.all(asked)).sort((a, b) => a - b)).toEqual(asked.map((_, at) => at + 1));
    expect(proxy.sends).toBe(1);
    expect([await redis.del(key), proxy.sends]).toEqual([1, 2]);
  }),
);

test.skipIf(server === undefined)('what was asked in the turn in which a connection ends still leaves', () =>
  connected(async (redis) => {
    const key = randomUUID();
    const written = redis.set(key, '1', 'PX', 60_000).catch(({ message }: Error) => message);
    redis.stream.destroy();
    expect(await written).not.toBe('OK');
    await new Promise<void>((resolve) => redis.once('ready', () => resolve()));
    await expect.poll(() => redis.get(key)).toBe('1');
  }),
);
