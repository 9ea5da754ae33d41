// "npm run bench": what svc costs, beside programs written by hand for the same job.
//   npm run bench                 everything, in about a quarter of an hour
//   npm run bench -- read start   these cases only
//   npm run bench -- soak         the long runs too: an hour
//   npm run bench -- --before ../other hello read insert
//                                 these cases, beside the program of another checkout: ten interleaved pairs
//   npm run bench -- self         the hand-written program on both sides: what the noise is
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { batch } from './batch/case.ts';
import type { Benchmark, Conditions, Row } from './benchmark.ts';
import { cacheMemory } from './cache-memory/case.ts';
import { cacheRedis } from './cache-redis/case.ts';
import { consume } from './consume/case.ts';
import { database } from './database/case.ts';
import { files } from './files/case.ts';
import { graphql } from './graphql/case.ts';
import { grpc } from './grpc/case.ts';
import { hello } from './hello/case.ts';
import { insert } from './insert/case.ts';
import { live } from './live/case.ts';
import { overload } from './overload/case.ts';
import { publishRest } from './publish-rest/case.ts';
import { queuePostgres } from './queue-postgres/case.ts';
import { queueSqlite } from './queue-sqlite/case.ts';
import { read } from './read/case.ts';
import { signIn } from './sign-in/case.ts';
import { soap } from './soap/case.ts';
import { start } from './start/case.ts';
import { tcp } from './tcp/case.ts';
import { validate } from './validate/case.ts';
import { webhooks } from './webhooks/case.ts';
import { workers } from './workers/case.ts';

/** A part of the program, measured by a program of its own, which prints its own table. */
function part(name: string, title: string): Benchmark {
  return {
    name,
    title,
    async run() {
      const { status } = spawnSync(process.execPath, [join(import.meta.dirname, `${name}.ts`)], { stdio: 'inherit' });
      if (status !== 0) throw new Error(`${name}.ts ended with ${status}`);
      return [];
    },
  };
}

const parts = [
  part('expressions', 'P-12 expressions, beside JavaScript'),
  part('pipeline', 'Flows alone, beside functions written by hand'),
  part('plugins', 'Calls of a module, beside a bare worker thread'),
  part('parse', 'The HCL parser on 60 files'),
  part('language', 'The language service: first diagnostics, one edit among 500 files'),
  part('rest', 'The HTTP server alone, beside Fastify'),
  part('http-client', 'Calls of an HTTP service, beside undici'),
  part('publish', 'Messages sent to RabbitMQ with confirms, and taken; beside amqplib'),
  part('studio', 'The studio in a browser: opening, typing, idle; beside empty pages and a bare editor'),
  part('debugger', 'The debugger: no client attached, a client that listens, stops; beside bare sockets'),
];

/** Those that compare two programs under load: another checkout's may be one of them. */
const comparisons = [hello, read, insert, cacheMemory, cacheRedis, graphql, soap];
const all = [
  ...comparisons,
  publishRest,
  queueSqlite,
  queuePostgres,
  ...consume,
  database,
  batch,
  files,
  grpc,
  tcp,
  validate,
  start,
  live,
  webhooks,
  overload,
  signIn,
  workers,
  ...parts,
];
const { values, positionals: words } = parseArgs({ allowPositionals: true, options: { before: { type: 'string' } } });
const benchmarks = values.before === undefined ? all : comparisons;
const flags = ['soak', 'self'];
const names = words.filter((word) => !flags.includes(word));
const unknown = names.filter((name) => !benchmarks.some((each) => each.name === name));
if (unknown.length > 0) {
  console.error(
    `There is no benchmark ${values.before === undefined ? '' : 'with --before '}${unknown.join(', ')}; there are ${benchmarks.map(({ name }) => name).join(', ')}.`,
  );
  process.exit(2);
}

const conditions: Conditions = {
  rounds: 3,
  warmUp: 2,
  measured: 4,
  soak: words.includes('soak'),
  self: words.includes('self'),
  before: values.before === undefined ? undefined : resolve(process.env['INIT_CWD'] ?? '.', values.before),
};
console.log(`Node ${process.version}, ${cpus().length} x ${cpus()[0]?.model ?? 'unknown'}`);
console.log(
  'CPU is processor time of the server for one request; absolute figures hold for this machine and hour only.\n',
);

const rows: Row[] = [];
let broken = 0;
for (const benchmark of benchmarks.filter(({ name }) => names.length === 0 || names.includes(name))) {
  console.log(benchmark.title);
  try {
    const measured = await benchmark.run(conditions);
    for (const row of measured) console.log(`  ${line(row)}`);
    rows.push(...measured);
  } catch (error) {
    broken += 1;
    console.log(`  could not be measured: ${(error as Error).message}`);
  }
}

if (rows.length > 1) table(rows);
process.exitCode = broken > 0 ? 1 : 0;

function verdict({ holds }: Row): string {
  return holds === undefined ? '-' : holds ? 'holds' : 'BELOW';
}

function line(row: Row): string {
  return [row.name, row.ours, row.beside, row.ratio, `floor ${row.floor}`, verdict(row)].filter(Boolean).join(' | ');
}

function table(measured: readonly Row[]): void {
  const cells = [
    ['', 'svc', 'beside', 'ratio', 'floor', ''],
    ...measured.map((row) => [row.name, row.ours, row.beside, row.ratio, row.floor, verdict(row)]),
  ];
  const widths = cells[0]!.map((_, column) => Math.max(...cells.map((row) => row[column]!.length)));
  console.log();
  for (const row of cells)
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
}
