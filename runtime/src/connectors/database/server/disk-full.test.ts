import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { mariadb, startMariadb } from '../../../../../test/support/servers/mariadb.ts';
import { postgres, startPostgres } from '../../../../../test/support/servers/postgres.ts';
import type { User } from '../../../../../test/support/servers/program.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';
import type { DatabaseConnector } from '../engine.ts';
import { mysqlConnector } from '../mysql/testing/database.ts';
import { describeCall, failureOf, never, postgresConnector, sql } from '../testing/parts.ts';

type Prepare = Parameters<typeof startPostgres>[0];

/** What differs between the engines, as data. */
interface Bed {
  readonly start: (prepare: Prepare) => Promise<RunningServer>;
  readonly isInstalled: () => boolean;
  readonly make: (url: string) => DatabaseConnector;
  /** A statement that prepares the disk at this place. */
  readonly prepare?: (disk: string) => string;
  /** What ends the declaration of a table that is kept there. */
  readonly there: (disk: string) => string;
  /** Bytes of a row. InnoDB of MariaDB 10.11 aborts when there is no room for a text outside of its page. */
  readonly bytes: number;
}

const beds: Readonly<Record<string, Bed>> = {
  postgres: {
    start: (prepare) => startPostgres(prepare),
    isInstalled: postgres.isInstalled,
    make: (url) => postgresConnector({ url }),
    prepare: (disk) => `CREATE TABLESPACE small LOCATION '${disk}'`,
    there: () => 'TABLESPACE small',
    bytes: 150_000,
  },
  mysql: {
    start: (prepare) => startMariadb(prepare),
    isInstalled: mariadb.isInstalled,
    make: (url) => mysqlConnector({ url }),
    there: (disk) => `DATA DIRECTORY = '${disk}'`,
    bytes: 2_000,
  },
};

const megabytes = 8;

/** A disk of a few megabytes, in memory. */
function mounted({ uid = 0, gid = 0 }: User): string {
  const place = mkdtempSync(join(tmpdir(), 'svc-disk-'));
  const options = `size=${megabytes}m,mode=0700,uid=${uid},gid=${gid}`;
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'none', place]);
  return place;
}

function mayMount(): boolean {
  if (process.getuid?.() !== 0) return false;
  try {
    const place = mounted({});
    execFileSync('umount', [place]);
    rmSync(place, { recursive: true });
    return true;
  } catch (error) {
    console.warn(`a full disk is not tried: ${(error as Error).message}`);
    return false;
  }
}

const isMountable = mayMount();

for (const [engine, bed] of Object.entries(beds))
  describe.skipIf(!isMountable || !bed.isInstalled())(`the disk of ${engine} is full`, () => {
    let server: RunningServer | undefined;
    let connector: DatabaseConnector;
    let disk: string | undefined;

    const make = () =>
      sql(connector, `CREATE TABLE small (id INTEGER PRIMARY KEY, a TEXT) ${bed.there(disk as string)}`);

    beforeAll(async () => {
      server = await bed.start((_folder, user) => {
        disk = mounted(user);
        return [];
      });
      connector = bed.make(server.address);
      await connector.open(never);
      if (bed.prepare !== undefined) await sql(connector, bed.prepare(disk as string));
      await make();
      await sql(connector, 'CREATE TABLE other (id INTEGER)');
    }, 60_000);
    afterAll(async () => {
      await connector?.close();
      await server?.stop();
      if (disk === undefined) return;
      execFileSync('umount', [disk]);
      rmSync(disk, { recursive: true });
    });

    // Nothing of it can be made smaller.
    const text = () => randomBytes(bed.bytes).toString('base64');
    const count = async () => Number((await sql(connector, 'SELECT count(*) AS n FROM small')).rows?.[0]?.['n']);
    const full = { code: 'connector_failed', retriable: true, message: expect.stringMatching(/space|full/) };

    test('A-15: writes fail and may be tried again, reads and other tables continue, and it recovers', {
      timeout: 60_000,
    }, async () => {
      const insert = connector.target.prepare(describeCall('create', { target: 'small' }));
      let written = 0;
      const fill = async () => {
        for (; written < 10_000; written++) await insert({ payload: { id: written, a: text() } });
      };
      expect(await failureOf(fill)).toMatchObject(full);
      expect(written).toBeGreaterThan(5);
      expect(await count()).toBe(written);
      const rows = Array.from({ length: 200 }, (_, at) => ({ id: 1_000 + at, a: text() }));
      const write = async () => {
        const ready = await connector.target.prepareRows?.(describeCall('create', { target: 'small' }))?.(rows);
        return connector.target.transactions.run(ready as NonNullable<typeof ready>, undefined);
      };
      expect(await failureOf(write)).toMatchObject(full);
      expect(await count()).toBe(written);
      expect(await sql(connector, 'INSERT INTO other (id) VALUES (1)')).toMatchObject({ affected: 1 });
      await connector.check?.(never);
      await sql(connector, 'DROP TABLE small');
      await make();
      rows.length = 10;
      expect(await write()).toBe(10);
      await insert({ payload: { id: 1, a: text() } });
      expect(await count()).toBe(11);
    });
  });
