import { cpSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, test } from 'vitest';
import { MysqlDatabase, mysqlUrl } from '../../../runtime/src/connectors/database/mysql/testing/database.ts';
import { postgresUrl, TestDatabase } from '../../../runtime/src/connectors/database/testing/postgres.ts';
import { type FaultProxy, faultProxy } from '../../support/proxy.ts';
import { until } from '../../support/until.ts';
import { type Scenario, startScenario } from '../scenario.ts';

const rows = 20_000;
/** Rows of one transaction where a batch stops at its first failure, and of a chunk. */
const [together, chunk] = [1000, 2000];
const done = { processed: rows, failed: 0, chunks: rows / chunk, errors: [] };

interface Written {
  readonly count: number;
  readonly ids: number;
  readonly last: number;
}

/** How a test looks at its table, and what it does to the connections. */
interface Bench {
  readonly service: Scenario;
  readonly written: () => Promise<Written>;
  /** Absent where there is no connection. */
  readonly proxy: FaultProxy | undefined;
  /** What is done when a piece with this text is sent for the n-th time, counted from 1. */
  readonly at: (text: string, time: number, act: () => void) => void;
  readonly directory: string;
  end(): Promise<void>;
}

const ledger = 'CREATE TABLE ledger (id INTEGER NOT NULL, text VARCHAR(40) NOT NULL)';
const look = 'SELECT count(*) AS count, count(DISTINCT id) AS ids, coalesce(max(id), 0) AS last FROM ledger';

async function start(engine: string, make?: () => TestDatabase | MysqlDatabase): Promise<Bench> {
  const server = make?.();
  await server?.create();
  await server?.run(ledger);
  let watched: { text: string; left: number; act: () => void } | undefined;
  const sent = (piece: Buffer) => {
    if (watched === undefined || !piece.includes(watched.text) || --watched.left > 0) return;
    const { act } = watched;
    watched = undefined;
    act();
  };
  const proxy = server && (await faultProxy({ host: server.host, port: server.port }, sent));
  const service = await startScenario(import.meta.dirname, {
    env: proxy === undefined ? {} : { DATABASE_URL: (server as TestDatabase).through(proxy.port) },
    prepare: (directory) => {
      cpSync(join(directory, 'engines', engine), directory, { recursive: true });
      rmSync(join(directory, 'engines'), { recursive: true });
      if (server === undefined) inFile(directory, (file) => file.exec(ledger));
    },
  });
  const { directory } = service;
  return {
    service,
    directory,
    proxy,
    at: (text, left, act) => {
      watched = { text, left, act };
    },
    written: async () => {
      const found =
        server === undefined ? inFile(directory, (file) => file.prepare(look).all()) : await server.run(look);
      const row = found[0] as unknown as Written;
      return { count: Number(row.count), ids: Number(row.ids), last: Number(row.last) };
    },
    async end() {
      await service.end();
      await proxy?.close();
      await server?.drop();
    },
  };
}

function inFile<T>(directory: string, work: (file: DatabaseSync) => T): T {
  const file = new DatabaseSync(join(directory, 'ledger.db'));
  try {
    file.exec('PRAGMA busy_timeout = 10000');
    return work(file);
  } finally {
    file.close();
  }
}

const all = (count: number): Written => ({ count, ids: count, last: count });

let bench: Bench;
afterEach(() => bench?.end());

const engines = [
  { engine: 'sqlite', skip: false, make: undefined },
  { engine: 'postgres', skip: postgresUrl === undefined, make: () => new TestDatabase() },
  { engine: 'mysql', skip: mysqlUrl === undefined, make: () => new MysqlDatabase() },
] as const;

describe.each(engines)('many rows at once on $engine', ({ engine, skip, make }) => {
  test.skipIf(skip)(
    'R-95: a process that is killed leaves whole exchanges, from the first on, and no row twice',
    async () => {
      bench = await start(engine, make);
      const { service, written } = bench;
      const cut = service.ask('POST', '/copy', {}).catch(() => 'cut');
      await until(async () => (await written()).count > 2 * together);
      process.kill(service.pid, 'SIGKILL');
      expect(await cut).toBe('cut');
      const left = await written();
      expect([left.count % together, left.count < rows, left]).toEqual([0, true, all(left.count)]);
    },
  );
});

describe.each(engines.filter(({ make }) => make !== undefined))('an outage of $engine', ({ engine, skip, make }) => {
  const begin = engine === 'postgres' ? 'BEGIN' : 'START TRANSACTION';

  test.skipIf(skip)('R-95: within a bulk write is tried again as `retry` says: every row is there once', async () => {
    bench = await start(engine, make);
    const { service, written, at, proxy } = bench as Bench & { proxy: FaultProxy };
    at(begin, 7, () => {
      proxy.fault = 'refuse';
      proxy.reset();
    });
    const asked = service.ask('POST', '/copy', {});
    await until(() => proxy.refused > 3);
    // What was answered before the outage stays, and nothing of what was on its way.
    expect(await written()).toEqual(all(6 * together));
    proxy.fault = 'pass';
    const { status, body } = await asked;
    expect([status, body, await written()]).toEqual([200, done, all(rows)]);
  });

  test.skipIf(skip)('R-95: of which every part is cut once is tried again, and every row is there once', async () => {
    bench = await start(engine, make);
    const { service, written, at, proxy } = bench as Bench & { proxy: FaultProxy };
    let cuts = 0;
    const next = () =>
      at(begin, 2, () => {
        cuts++;
        proxy.fault = 'cut';
        setImmediate(() => {
          proxy.fault = 'pass';
          if (cuts < 6) next();
        });
      });
    next();
    const { status, body } = await service.ask('POST', '/copy', {});
    expect([status, body, await written(), cuts]).toEqual([200, done, all(rows), 6]);
  });

  test.skipIf(skip)('R-95: without `retry` fails, says which chunk, and the exchanges before it stay', async () => {
    bench = await start(engine, make);
    const { service, written, at, proxy } = bench as Bench & { proxy: FaultProxy };
    at(begin, 6, () => proxy.reset());
    const { status, body } = await service.ask('POST', '/once', {});
    expect([status, body]).toEqual([500, { code: 'connector_refused', error: expect.stringMatching(/^chunk 3: /) }]);
    expect(await written()).toEqual(all(5 * together));
  });

  test.skipIf(skip)('R-95: with on_error = "continue" costs its chunk, of which nothing stays', async () => {
    bench = await start(engine, make);
    const { service, written, at, proxy } = bench as Bench & { proxy: FaultProxy };
    // A chunk is one transaction there.
    at(begin, 3, () => proxy.reset());
    const { status, body } = await service.ask('POST', '/lenient', {});
    expect([status, body]).toEqual([
      200,
      { processed: rows - chunk, failed: chunk, chunks: 10, errors: [expect.stringMatching(/^chunk 3: /)] },
    ]);
    expect(await written()).toEqual({ count: rows - chunk, ids: rows - chunk, last: rows });
  });

  test.skipIf(skip)('A-10, R-93: at COMMIT is reported as an unknown outcome, and never tried again', async () => {
    bench = await start(engine, make);
    const { service, written, at, proxy } = bench as Bench & { proxy: FaultProxy };
    at('COMMIT', 4, () => {
      proxy.fault = 'hold';
    });
    const asked = service.ask('POST', '/copy', {});
    await until(async () => (await written()).count === 4 * together);
    proxy.reset();
    proxy.fault = 'pass';
    const { status, body } = await asked;
    expect([status, body]).toEqual([500, expect.objectContaining({ code: 'outcome_unknown' })]);
    expect(await written()).toEqual(all(4 * together));
  });
});
