/**
 * Compares SQLite through the connector with node:sqlite written by hand: reading one row by its key, and inserting one.
 * Both run in turns in one process; prints nanoseconds per call and the ratio. `node test/bench/database.ts [rounds]`.
 */
import { DatabaseSync } from 'node:sqlite';
import { create } from '../../runtime/src/connectors/database/sqlite/connector.ts';
import type { ConnectorServices } from '../../runtime/src/contracts/connector.ts';
import type { CallDescription, CallResult } from '../../runtime/src/contracts/target.ts';

const rounds = Number(process.argv[2] ?? 7);
const calls = 40_000;
const table = 'CREATE TABLE users (id INTEGER PRIMARY KEY, name TEXT NOT NULL, email TEXT, age INTEGER)';

type Config = Parameters<typeof create>[1];
const connector = create('db', { database: ':memory:' } as Config, { directory: '/' } as ConnectorServices);
await connector.open(new AbortController().signal);
const describe = (verb: CallDescription['verb'], query?: string): CallDescription => ({
  verb,
  operation: undefined,
  target: query === undefined ? 'users' : undefined,
  query,
  words: {},
  timeout: undefined,
  exact: false,
  flow: 'bench',
  label: 'to',
});
const prepare = (verb: CallDescription['verb'], query?: string) => connector.target!.prepare(describe(verb, query));
prepare('read', table)({});
const byHand = new DatabaseSync(':memory:');
byHand.exec(table);

const read = prepare('read');
const readQuery = prepare('read', 'SELECT * FROM users WHERE id = :id');
const insert = prepare('create');
const handRead = byHand.prepare('SELECT * FROM users WHERE id = ?');
const handInsert = byHand.prepare('INSERT INTO users (age, email, name) VALUES (?, ?, ?)');

const pairs: Record<
  string,
  [hand: (i: number) => unknown, connector: (i: number) => CallResult | Promise<CallResult>]
> = {
  'insert a row': [
    (i) => handInsert.run(BigInt(i % 90), 'ada@example.org', `ada ${i}`),
    (i) => insert({ payload: { name: `ada ${i}`, email: 'ada@example.org', age: i % 90 } }),
  ],
  'read by key, target': [(i) => handRead.all(String(i % 1000)), (i) => read({ filters: { id: String(i % 1000) } })],
  'read by key, query': [(i) => handRead.all(String(i % 1000)), (i) => readQuery({ params: { id: String(i % 1000) } })],
};

function time(work: (i: number) => unknown): number {
  const start = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) work(i);
  return Number(process.hrtime.bigint() - start) / calls;
}

for (const [name, [hand, ours]] of Object.entries(pairs)) {
  const times = { hand: [] as number[], ours: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    times.hand.push(time(hand));
    times.ours.push(time(ours));
  }
  const [a, b] = [Math.min(...times.hand), Math.min(...times.ours)];
  console.log(
    `${name.padEnd(22)} by hand ${a.toFixed(0)} ns, connector ${b.toFixed(0)} ns, ratio ${(b / a).toFixed(2)}`,
  );
}
await connector.close();
