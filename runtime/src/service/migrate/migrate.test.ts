import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DatabaseConnector } from '../../connectors/database/engine.ts';
import { engines, type Place } from '../../connectors/database/testing/engines.ts';
import { failureOf, never, services, sql, sqliteConnector } from '../../connectors/database/testing/parts.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { migrate } from './command.ts';
import { planMigrations } from './files.ts';
import { applyMigrations, migrationStatus } from './migrate.ts';
import { missingTables } from './missing-tables.ts';

function configuration(files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), 'svc-migrate-'));
  write(directory, files);
  return directory;
}

function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

describe('migration files', () => {
  test('the folder of the connector wins, and only its SQL files count, in the order of their names', async () => {
    const directory = configuration({
      'migrations/001_other.sql': 'x',
      'migrations/db/010_b.sql': '-- svc: no-transaction\nSELECT 1',
      'migrations/db/002_a.sql': 'SELECT 1',
      'migrations/db/notes.txt': 'x',
      'migrations/db/old/001.sql': 'x',
    });
    const planned = await planMigrations(directory, 'db');
    expect(planned.map(({ name, transactional, checksum }) => [name, transactional, checksum.length])).toEqual([
      ['002_a.sql', true, 64],
      ['010_b.sql', false, 64],
    ]);
    expect((await planMigrations(directory, 'another')).map((file) => file.name)).toEqual(['001_other.sql']);
    expect(await planMigrations(join(directory, 'nowhere'), 'db')).toEqual([]);
  });
});

describe.each(engines)('migrations of $engine', ({ skip, isServer, engine, place: makePlace }) => {
  describe.skipIf(skip)('once each', () => {
    const open: { connector: DatabaseConnector; place: Place }[] = [];

    async function database(): Promise<{ connect: () => Promise<DatabaseConnector> }> {
      const place = await makePlace();
      const connect = async () => {
        // One connection must be enough.
        const connector = place.connector(isServer ? { pool: { max: 1 } } : {});
        await connector.open(never);
        open.push({ connector, place });
        return connector;
      };
      return { connect };
    }

    afterAll(async () => {
      for (const { connector } of open) await connector.close();
      for (const { place } of new Set(open)) await place.end();
    });

    test('pending files run in order, and only once', async () => {
      const connector = await (await database()).connect();
      const directory = configuration({
        'migrations/001_a.sql': 'CREATE TABLE a (id INTEGER); INSERT INTO a VALUES (1);',
        'migrations/002_b.sql': 'CREATE TABLE b AS SELECT id FROM a',
      });
      const files = await planMigrations(directory, 'db');
      expect(await missingTables(connector, ['a', 'b', 'a'])).toEqual(['a', 'b']);
      expect(await applyMigrations(connector, files, systemClock)).toEqual(['001_a.sql', '002_b.sql']);
      expect(await applyMigrations(connector, files, systemClock)).toEqual([]);
      expect((await sql(connector, 'SELECT id FROM b')).rows).toEqual([{ id: 1 }]);
      expect(await missingTables(connector, ['a', 'b', 'c'])).toEqual(['c']);
    });

    test('a file that fails keeps nothing, and those before it stay', async () => {
      const connector = await (await database()).connect();
      const directory = configuration({
        'migrations/1.sql': 'CREATE TABLE a (id INTEGER)',
        'migrations/2.sql': 'CREATE TABLE b (id INTEGER); INSERT INTO nowhere VALUES (1)',
        'migrations/3.sql': 'CREATE TABLE c (id INTEGER)',
      });
      const files = await planMigrations(directory, 'db');
      const reported: string[] = [];
      const failure = await failureOf(() =>
        applyMigrations(connector, files, systemClock, {
          started: (file) => reported.push(`started ${file.name}`),
          applied: (file) => reported.push(`applied ${file.name}`),
          failed: (file) => reported.push(`failed ${file.name}`),
        }),
      );
      const { undoesSchema } = connector.dialect.runtimeTables;
      const rest = undoesSchema ? 'nothing of this file was kept' : 'what came before may have been kept';
      expect(failure.message).toMatch(new RegExp(`^2\\.sql: .*nowhere.*; .*${rest}$`));
      expect(reported).toEqual(['started 1.sql', 'applied 1.sql', 'started 2.sql', 'failed 2.sql']);
      expect((await migrationStatus(connector, files, systemClock)).map(({ name, state }) => [name, state])).toEqual([
        ['1.sql', 'applied'],
        ['2.sql', 'pending'],
        ['3.sql', 'pending'],
      ]);
      expect(await missingTables(connector, ['a', 'b', 'c'])).toEqual(undoesSchema ? ['b', 'c'] : ['c']);
    });

    test('an edited file is refused before anything runs, a removed one is reported', async () => {
      const connector = await (await database()).connect();
      const directory = configuration({
        'migrations/1.sql': 'CREATE TABLE a (id INTEGER)',
        'migrations/2.sql': 'CREATE TABLE b (id INTEGER)',
      });
      await applyMigrations(connector, await planMigrations(directory, 'db'), systemClock);
      write(directory, {
        'migrations/1.sql': 'CREATE TABLE a (id BIGINT)',
        'migrations/3.sql': 'CREATE TABLE c (id INTEGER)',
      });
      const files = (await planMigrations(directory, 'db')).filter((file) => file.name !== '2.sql');
      expect((await failureOf(() => applyMigrations(connector, files, systemClock))).message).toBe(
        '1.sql: edited after being applied to database "db". Restore the file, and write the change as a new migration',
      );
      expect((await migrationStatus(connector, files, systemClock)).map(({ name, state }) => [name, state])).toEqual([
        ['1.sql', 'edited'],
        ['2.sql', 'missing'],
        ['3.sql', 'pending'],
      ]);
      expect(await missingTables(connector, ['c'])).toEqual(['c']);
    });

    test('two processes at once apply each file once', async () => {
      const { connect } = await database();
      const connectors = [await connect(), await connect()] as const;
      const directory = configuration({
        'migrations/1.sql': 'CREATE TABLE a (id INTEGER)',
        'migrations/2.sql': '-- svc: no-transaction\nINSERT INTO a VALUES (1);\nINSERT INTO a VALUES (2);',
      });
      const files = await planMigrations(directory, 'db');
      const done = await Promise.all(connectors.map((connector) => applyMigrations(connector, files, systemClock)));
      expect(done.flat().sort()).toEqual(['1.sql', '2.sql']);
      expect((await sql(connectors[0], 'SELECT id FROM a ORDER BY id')).rows).toEqual([{ id: 1 }, { id: 2 }]);
    });

    test('a file may not end the transaction that it runs in', async () => {
      const connector = await (await database()).connect();
      const directory = configuration({
        'migrations/1.sql': 'CREATE TABLE a (id INTEGER); COMMIT; CREATE TABLE b (id INTEGER)',
      });
      const files = await planMigrations(directory, 'db');
      expect((await failureOf(() => applyMigrations(connector, files, systemClock))).message).toContain(
        'Remove its BEGIN and COMMIT',
      );
      expect(await missingTables(connector, ['a', 'b'])).toEqual(['a', 'b']);
    });

    test('what a file sets for its connection, as dumps do, ends with it', async () => {
      const connector = await (await database()).connect();
      const rest = 'CREATE TABLE plain (id INTEGER)';
      const dumps = {
        sqlite: ['PRAGMA foreign_keys = OFF', 'PRAGMA foreign_keys', { foreign_keys: 1 }],
        mysql: [
          "SET NAMES latin1; SET time_zone = '+05:00', foreign_key_checks = 0; CREATE TABLE held (id INTEGER); USE mysql; LOCK TABLES user READ",
          'SELECT @@foreign_key_checks AS checked, @@time_zone AS zone',
          { checked: 1, zone: '+00:00' },
        ],
        postgres: [
          "SET client_encoding = 'LATIN1'; SELECT pg_catalog.set_config('search_path', '', false); SET row_security = off; SET ROLE pg_monitor",
          'SHOW search_path',
          { search_path: '"$user", public' },
        ],
      } as const;
      const [dump, question, answered] = dumps[engine as keyof typeof dumps];
      const directory = configuration({
        'migrations/1.sql': dump,
        'migrations/2.sql': `-- svc: no-transaction\n${dump}`.replace('CREATE TABLE held', 'CREATE TABLE again'),
        'migrations/3.sql': rest,
      });
      const files = await planMigrations(directory, 'db');
      expect(await applyMigrations(connector, files, systemClock)).toEqual(['1.sql', '2.sql', '3.sql']);
      expect(await missingTables(connector, ['plain'])).toEqual([]);
      expect((await sql(connector, question)).rows).toEqual([answered]);
    });

    test('the rows of a former table are adopted when ours is absent', async () => {
      const connector = await (await database()).connect();
      await sql(connector, 'CREATE TABLE _mycel_migrations (id INTEGER, name TEXT, applied_at TIMESTAMP)');
      await sql(
        connector,
        "INSERT INTO _mycel_migrations VALUES (1, '1.sql', '2025-01-02 03:04:05'), (2, 'gone', '2025-01-02 03:04:05')",
      );
      await sql(connector, 'CREATE TABLE a (id INTEGER)');
      const directory = configuration({
        'migrations/1.sql': 'CREATE TABLE a (id INTEGER)',
        'migrations/2.sql': 'CREATE TABLE b (id INTEGER)',
      });
      const files = await planMigrations(directory, 'db');
      expect(await applyMigrations(connector, files, systemClock)).toEqual(['2.sql']);
      const states = await migrationStatus(connector, files, systemClock);
      expect(states.slice(0, 1).concat(states.slice(2))).toEqual([
        { name: '1.sql', state: 'applied', appliedAt: '2025-01-02T03:04:05.000Z' },
        { name: 'gone', state: 'missing', appliedAt: '2025-01-02T03:04:05.000Z' },
      ]);
    });
  });
});

describe('the command', () => {
  let directory: string;
  beforeAll(() => {
    directory = configuration({ 'migrations/1.sql': 'CREATE TABLE a (id INTEGER)' });
  });

  const run = async (action: 'apply' | 'status', connectors: readonly DatabaseConnector[], connector?: string) => {
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    const status = await migrate({ action, directory, connectors, connector, print, complain: print });
    return { status, lines };
  };

  test('applies, tells what it did, and tells the state', async () => {
    const make = () => sqliteConnector({ database: 'app.db' }, services(directory));
    expect(await run('status', [make()])).toEqual({ status: 0, lines: ['[pending] 1.sql'] });
    expect(await run('apply', [make()])).toEqual({ status: 0, lines: ['Applying 1.sql... OK', '1 applied to "db".'] });
    expect(await run('apply', [make()])).toEqual({ status: 0, lines: ['"db" is up to date.'] });
    expect(await run('status', [make()])).toEqual({ status: 0, lines: ['[applied] 1.sql'] });
  });

  test('asks which database is meant', async () => {
    const two = [sqliteConnector({ database: ':memory:' }), sqliteConnector({ database: ':memory:' })];
    expect((await run('apply', two)).status).toBe(2);
    expect((await run('apply', [])).status).toBe(2);
    expect(await run('apply', two, 'other')).toEqual({
      status: 2,
      lines: ['there is no relational database connector "other"; there is db, db'],
    });
  });
});
