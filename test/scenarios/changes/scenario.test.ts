import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import {
  type Cluster,
  type ClusterDatabase,
  hasCluster,
  startCluster,
} from '../../../runtime/src/connectors/database/postgres/changes/testing/cluster.ts';
import { runCommand } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { debugClient } from '../debug-client.ts';
import { type Scenario, startScenario } from '../scenario.ts';
import { startUpstream, type Upstream } from '../upstream.ts';

const folder = import.meta.dirname;

describe.skipIf(!hasCluster)('changes of tables', () => {
  let cluster: Cluster;
  let ledger: Upstream;
  let database: ClusterDatabase;
  const cleanups: (() => unknown)[] = [];

  beforeAll(async () => {
    cluster = await startCluster();
    ledger = await startUpstream();
  });
  afterAll(async () => {
    await ledger?.close();
    await cluster?.stop();
  });
  beforeEach(async () => {
    ledger.received.length = 0;
    ledger.react = () => ({ body: {} });
    database = await cluster.database();
    await database.rows(`CREATE TABLE events (n int PRIMARY KEY); CREATE TABLE documents (id int PRIMARY KEY, body text, seen int);
      CREATE TABLE copies (LIKE documents INCLUDING ALL); ALTER TABLE documents ALTER body SET STORAGE EXTERNAL`);
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
    await database.drop();
  });

  const env = () => ({ DATABASE_URL: database.url, SLOT: database.slot, LEDGER_URL: ledger.address });
  async function start(args: readonly string[] = []): Promise<Scenario> {
    const service = await startScenario(folder, { env: { ...env(), SVC_LOG_FORMAT: 'json' }, args });
    cleanups.push(() => service.end());
    return service;
  }
  const insert = (from: number, to: number) =>
    database.rows('INSERT INTO events SELECT generate_series($1::int, $2::int)', [from, to]);
  const recorded = () => ledger.received.map(({ body }) => (JSON.parse(body) as { n: number }).n);
  const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at);
  const sender = async () =>
    (
      await database.rows<{ pid: number }>('SELECT active_pid AS pid FROM pg_replication_slots WHERE slot_name = $1', [
        database.slot,
      ])
    )[0]?.pid;

  test('R-45: of a process that is killed while changes are under way none is lost: the ledger has every row', async () => {
    const first = await start();
    for (let n = 1; n <= 100; n++) await insert(n, n);
    await until(() => recorded().length >= 20);
    ledger.react = () => () => undefined;
    await until(async () => ((await first.metric('svc_messages_held{connector="changes",driver="cdc"}')) ?? 0) > 0);
    await first.stop('SIGKILL');
    await insert(101, 150);
    ledger.react = () => ({ body: {} });
    const second = await start();
    await until(() => new Set(recorded()).size === 150);
    await until(async () => (await database.slotRow())?.lag === 0);
    expect(
      recorded()
        .toSorted((a, b) => a - b)
        .filter((n, at, all) => n !== all[at - 1]),
    ).toEqual(range(1, 150));
    expect(await second.stop()).toEqual({ code: 0, signal: null });
    // Everything was confirmed: nothing comes again.
    const before = recorded().length;
    await start();
    await insert(151, 151);
    await until(() => recorded().includes(151));
    expect(recorded().length).toBe(before + 1);
  });

  test('R-46: a copy keeps a large value that did not change', async () => {
    await start();
    const body = 'x'.repeat(100_000);
    await database.rows('INSERT INTO documents VALUES (1, $1, 0)', [body]);
    const copies = () => database.rows('SELECT id, body, seen FROM copies');
    await until(async () => (await copies()).length === 1);
    await database.rows('UPDATE documents SET seen = 1');
    await until(async () => (await copies())[0]?.['seen'] === 1);
    const [copy] = await copies();
    expect([copy?.['seen'], copy?.['body'] === body]).toEqual([1, true]);
  });

  test('R-17, R-85: a reload keeps the stream, and loses and doubles nothing', async () => {
    const service = await start();
    await insert(1, 20);
    await until(() => recorded().length === 20);
    const before = await sender();
    const flows = readFileSync(join(folder, 'flows.hcl'), 'utf8');
    let last = 20;
    for (let round = 1; round <= 5; round++) {
      service.write('flows.hcl', flows.replace('n = "input.new.n"', `n = "input.new.n"\n    round = "${round}"`));
      while (((await service.metric('svc_reloads_total')) ?? 0) < round) await insert(++last, last);
    }
    await insert(++last, last);
    await until(() => recorded().length >= last);
    expect(recorded().toSorted((a, b) => a - b)).toEqual(range(1, last));
    expect(await sender()).toBe(before);
    // Another block is another connector: the first one is closed before, and the slot continues.
    const changed = readFileSync(join(folder, 'service.hcl'), 'utf8').replace('workers           = 4', 'workers = 2');
    service.write('service.hcl', changed);
    await until(async () => (await sender()) !== undefined && (await sender()) !== before);
    await insert(++last, last);
    await until(() => recorded().includes(last));
    expect(recorded().toSorted((a, b) => a - b)).toEqual(range(1, last));
  });

  test('A-16: with two workers one has the slot; when it is killed the other one continues without a gap', async () => {
    const service = await start(['--workers', '2']);
    await insert(1, 20);
    await until(() => recorded().length === 20);
    interface Line {
      readonly msg: string;
      readonly connector?: string;
      readonly pid?: number;
    }
    const places = () =>
      service.log
        .split('\n')
        .filter((line) => line.startsWith('{'))
        .map((line) => JSON.parse(line) as Line)
        .filter(({ msg, connector }) => msg === 'connector runs in one worker' && connector === 'changes');
    const [place] = places();
    process.kill(place?.pid as number, 'SIGKILL');
    await insert(21, 40);
    await until(() => new Set(recorded()).size === 40);
    expect(places().at(-1)?.pid).not.toBe(place?.pid);
  });

  test('a debugger is shown the source by the name of its connector, and takes no change on demand', async () => {
    const service = await start(['--debug']);
    const client = await debugClient(service.admin);
    cleanups.push(() => client.leave());
    const { sources } = (await client.call('debug.ready', {})) as { sources: readonly unknown[] };
    expect(sources).toEqual([
      expect.objectContaining({ connector: 'changes', type: 'cdc', source: 'changes', manualConsume: false }),
    ]);
  });

  test('`svc check` names a table that a flow takes and the publication lacks, and is well when it is there', async () => {
    await database.rows('CREATE PUBLICATION svc_pub FOR TABLE events');
    const check = () => runCommand(['check', '-c', folder], env());
    const first = await check();
    expect([first.code, first.stdout]).toEqual([
      1,
      expect.stringMatching(/failed {2}changes .*publication "svc_pub" has no table "documents".*ADD TABLE documents/),
    ]);
    await database.rows('ALTER PUBLICATION svc_pub ADD TABLE documents');
    expect((await check()).stdout).toMatch(/ok {6}changes /);
  });
});
