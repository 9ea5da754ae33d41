import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Benchmark } from '../benchmark.ts';
import { type Comparison, compare } from '../compare.ts';
import { handWritten, service } from '../side.ts';
import { data, documents } from './data.ts';

const folder = import.meta.dirname;

/** Both sides read the same schema; the service has what they answer as constants. */
function seed(work: string): void {
  cpSync(join(folder, 'schema.graphql'), join(work, 'schema.graphql'));
  writeFileSync(join(work, 'data.json'), JSON.stringify(data));
  writeFileSync(
    join(work, 'data.hcl'),
    `constants {\n${Object.entries(data)
      .map(([name, value]) => `  ${name} = ${hcl(value)}`)
      .join('\n')}\n}\n`,
  );
}

function hcl(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(hcl).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([name, inner]) => `${name} = ${hcl(inner)}`)
    .join(', ')} }`;
}

function shape(name: string, query: string, variables?: object): Comparison {
  return {
    name,
    ours: service(folder, { seed }),
    theirs: handWritten(folder, { seed }),
    requests: [
      {
        method: 'POST',
        path: '/graphql',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ query, ...(variables && { variables }) }),
      },
    ],
    ready: '/health',
    floor: { rps: 0.85, cpu: 1.18 },
  };
}

export const graphql: Benchmark = {
  name: 'graphql',
  title: 'P-11 fields of a schema, beside mercurius with jit',
  run: async (conditions) => [
    await compare(shape('P-11 an object with objects', documents.order, { id: 'o-1042' }), conditions),
    await compare(shape('P-11 a list of 60 objects', documents.users), conditions),
  ],
};
