import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { service } from '../side.ts';

/** Compared with the flow that is only a response, which answers the same without a cache. */
export const cacheMemory: Benchmark = {
  name: 'cache-memory',
  title: 'P-05 an answer from the cache in memory, beside the flow of P-01',
  run: async (conditions) => [
    await compare(
      {
        name: 'P-05 memory',
        ours: service(import.meta.dirname),
        theirs: { ...service(join(import.meta.dirname, '..', 'hello')), title: 'P-01' },
        requests: [{ path: '/products/7' }],
        besideRequests: [{ path: '/hello' }],
        ready: '/health/live',
        floor: { rps: 0.75 },
      },
      conditions,
    ),
  ],
};
