import { redis } from '../../support/servers/redis.ts';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

export const cacheRedis: Benchmark = {
  name: 'cache-redis',
  title: 'P-05 an answer from Redis, beside Fastify and ioredis',
  async run(conditions) {
    const given = process.env[redis.variable];
    if (given === undefined && !redis.isInstalled()) throw new Error('redis-server is not installed');
    const instance = given === undefined ? await redis.start() : undefined;
    const env = { [redis.variable]: given ?? instance!.address };
    try {
      return [
        await compare(
          {
            name: 'P-05 redis',
            ours: service(folder, { env }),
            theirs: handWritten(folder, { env }),
            requests: [{ path: '/products/7' }],
            ready: '/health/live',
            floor: { rps: 0.65 },
          },
          conditions,
        ),
      ];
    } finally {
      await instance?.stop();
    }
  },
};
