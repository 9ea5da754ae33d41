import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';
import { seed } from './seed.ts';

const folder = import.meta.dirname;

/** Different rows, so that nothing is answered from a single page. */
export const requests = Array.from({ length: 100 }, (_, index) => ({ path: `/users/${1 + index * 97}` }));

export const read: Benchmark = {
  name: 'read',
  title: 'P-02 one row of SQLite by its id, beside Fastify and node:sqlite',
  run: async (conditions) => [
    await compare(
      {
        name: 'P-02 read',
        ours: service(folder, { seed }),
        theirs: handWritten(folder, { seed }),
        requests,
        ready: '/users/1',
        floor: { rps: 0.65, cpu: 1.55 },
      },
      conditions,
    ),
  ],
};
