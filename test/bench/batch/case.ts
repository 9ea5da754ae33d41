import pg from 'pg';
import { ownDatabase } from '../../support/own-database.ts';
import { postgres } from '../../support/servers/postgres.ts';
import type { Benchmark, Conditions, Row } from '../benchmark.ts';
import { median } from '../load.ts';
import { cpuSeconds, handWritten, type Side, service, startSide } from '../side.ts';
import { columns, rows, seed } from './seed.ts';

const folder = import.meta.dirname;

/** Requests before what is measured, and in it: the processor time of a process is known to 10 ms. */
const warmUp = 5;
const measured = 20;
/** Most processor time beside the program by hand. */
const floor = 1.1;

interface Cost {
  /** Microseconds of processor time for a row. */
  readonly cpu: number;
  /** Rows a second. */
  readonly rate: number;
}

export const batch: Benchmark = {
  name: 'batch',
  title: `A flow that copies ${rows} rows from SQLite to PostgreSQL in chunks of 1000, beside Fastify, node:sqlite and pg`,
  async run(conditions) {
    const given = process.env[postgres.variable];
    if (given === undefined && !postgres.isInstalled()) throw new Error('postgres is not installed');
    const instance = given === undefined ? await postgres.start() : undefined;
    const database = await ownDatabase(given ?? (instance?.address as string));
    const client = new pg.Client(database.url);
    await client.connect();
    try {
      await client.query(`CREATE TABLE users (id SERIAL PRIMARY KEY, ${columns})`);
      return [await compared(database.url, client, conditions)];
    } finally {
      await client.end();
      await database.drop();
      await instance?.stop();
    }
  },
};

async function compared(url: string, client: pg.Client, { rounds, self }: Conditions): Promise<Row> {
  const options = { seed, env: { BENCH_POSTGRES_URL: url } };
  const theirs = handWritten(folder, options);
  const ours = self ? theirs : service(folder, options);
  const costs: { readonly ours: Cost; readonly theirs: Cost }[] = [];
  for (let round = 0; round < rounds; round++)
    costs.push({ theirs: await cost(theirs, client), ours: await cost(ours, client) });
  const ratio = median(costs.map((each) => each.ours.cpu / each.theirs.cpu));
  return {
    name: 'batch',
    ours: shown(costs.map((each) => each.ours)),
    beside: `${theirs.title} ${shown(costs.map((each) => each.theirs))}`,
    ratio: `CPU ${ratio.toFixed(2)}x`,
    floor: `CPU ${floor}x`,
    holds: ratio <= floor,
  };
}

/** Both write the same rows; throws when one does not. */
async function cost(side: Side, client: pg.Client): Promise<Cost> {
  await client.query('TRUNCATE users');
  const { address, pid, stop } = await startSide(side, '/health/live');
  const copy = async () => {
    const answer = await fetch(`${address}/copy`, { method: 'POST' });
    const text = await answer.text();
    const { processed, failed } = JSON.parse(text) as { processed?: number; failed?: number };
    if (processed !== rows || failed !== 0) throw new Error(`${side.title} answered ${answer.status} ${text}`);
  };
  try {
    for (let index = 0; index < warmUp; index++) await copy();
    const began = performance.now();
    const before = cpuSeconds(pid) ?? 0;
    for (let index = 0; index < measured; index++) await copy();
    const used = (cpuSeconds(pid) ?? 0) - before;
    const seconds = (performance.now() - began) / 1000;
    const sums =
      "SELECT count(*)::int AS n, count(DISTINCT email)::int AS d, count(*) FILTER (WHERE name LIKE 'Person %')::int AS trimmed FROM users WHERE email = lower(email)";
    const [found] = (await client.query(sums)).rows as [{ n: number; d: number; trimmed: number }];
    const all = rows * (warmUp + measured);
    if (found.n !== all || found.d !== rows || found.trimmed !== all)
      throw new Error(`${side.title} wrote ${JSON.stringify(found)}`);
    return { cpu: (used / (rows * measured)) * 1e6, rate: (rows * measured) / seconds };
  } finally {
    await stop();
  }
}

function shown(costs: readonly Cost[]): string {
  const rate = Math.round(median(costs.map((each) => each.rate)));
  return `${rate.toLocaleString('en')}/s ${median(costs.map((each) => each.cpu)).toFixed(2)} us`;
}
