import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { until } from '../../../service/running/testing/fakes.ts';
import type { DatabaseConnector } from '../engine.ts';
import { describeCall, failureOf, never, services, sql, sqliteConnector } from '../testing/parts.ts';

/** Holds the write lock until its input ends. */
const holder = `
const { DatabaseSync } = require('node:sqlite');
const database = new DatabaseSync(process.argv[1]);
database.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (0)");
process.stdout.write('held');
process.stdin.on('data', () => {}).on('end', () => { database.exec('COMMIT'); database.close(); });
`;

let connector: DatabaseConnector;
let free: () => Promise<void>;

beforeEach(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'svc-locked-'));
  connector = sqliteConnector({ database: 'app.db' }, services(directory));
  await connector.open(never);
  await sql(connector, 'CREATE TABLE t (n INTEGER)');
  const child = spawn(process.execPath, ['--no-warnings', '-e', holder, join(directory, 'app.db')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  const ended = once(child, 'exit');
  free = async () => {
    child.stdin.end();
    await ended;
  };
});

afterEach(async () => {
  await free();
  await connector.close();
});

const insert = (n: number, signal?: AbortSignal) =>
  connector.target.prepare(describeCall('create', { target: 't' }))({ payload: { n }, signal });
const numbers = async () => (await sql(connector, 'SELECT n FROM t ORDER BY rowid')).rows?.map(({ n }) => n);

test('while another process holds the lock, the loop turns, reads are answered, and writers keep their order', async () => {
  let written = 0;
  const waiting = Array.from({ length: 10 }, async (_, at) => {
    if (at % 2 === 0) await insert(at + 1);
    else
      await connector.target.transactions.run(
        async ({ execute }) => execute(`INSERT INTO t VALUES (${at + 1})`, {}),
        undefined,
      );
    written++;
  });
  const read = connector.target.prepare(describeCall('read', { target: 't' }));
  const before = performance.eventLoopUtilization();
  for (let turn = 0; turn < 100; turn++) expect(await read({})).toEqual({ rows: [] });
  // Attempts that wait inside SQLite would keep the loop busy nearly all of the time.
  await until(() => performance.eventLoopUtilization(before).utilization < 0.5);
  expect(written).toBe(0);
  await free();
  await Promise.all(waiting);
  expect(await numbers()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
});

test('one that waits leaves the queue when its signal fires, first or last in line, and the others stay', async () => {
  const aborts = [new AbortController(), new AbortController(), new AbortController()];
  const waiting = aborts.map(({ signal }, at) => (async () => insert(at + 1, signal))());
  for (const at of [0, 2]) {
    aborts[at]?.abort();
    expect((await failureOf(() => waiting[at])).code).toBe('cancelled');
  }
  await free();
  await waiting[1];
  expect(await numbers()).toEqual([0, 2]);
});

test('one that waits too long is refused, is not done later, and can be repeated', async () => {
  const refused = await failureOf(() => insert(1));
  expect(refused).toMatchObject({ code: 'connector_busy', retriable: true });
  await free();
  expect(await numbers()).toEqual([0]);
  await insert(1);
  expect(await numbers()).toEqual([0, 1]);
});
