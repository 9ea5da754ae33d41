import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';
import { seed } from './seed.ts';

const folder = import.meta.dirname;

export const insert: Benchmark = {
  name: 'insert',
  title: 'P-03 validate, three expressions, insert into SQLite, beside Fastify and node:sqlite',
  run: async (conditions) => [
    await compare(
      {
        name: 'P-03 insert',
        ours: service(folder, { seed }),
        theirs: handWritten(folder, { seed }),
        requests: [
          {
            method: 'POST',
            path: '/users',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify({ name: ' Grace Hopper ', email: 'Grace@Example.org', age: 85 }),
          },
        ],
        ready: '/health/live',
        floor: { rps: 0.6 },
      },
      conditions,
    ),
  ],
};
