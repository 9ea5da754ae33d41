import type { Benchmark } from '../benchmark.ts';
import { compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';

const folder = import.meta.dirname;

export const hello: Benchmark = {
  name: 'hello',
  title: 'P-01 a flow that is only a response, beside Fastify with a schema',
  run: async (conditions) => [
    await compare(
      {
        name: 'P-01 response',
        ours: service(folder),
        theirs: handWritten(folder),
        requests: [{ path: '/hello' }],
        ready: '/hello',
        floor: { rps: 0.6, cpu: 1.6 },
      },
      conditions,
    ),
  ],
};
