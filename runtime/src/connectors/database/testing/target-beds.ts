import { randomInt } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { Execute } from '../../../foundation/contracts/target.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create as createPostgres } from '../postgres/connector.ts';
import { postgres } from '../postgres/spec.ts';
import { create as createSqlite } from '../sqlite/connector.ts';
import { sqlite } from '../sqlite/spec.ts';
import { postgresUrl } from './postgres.ts';

const asText = async (execute: Execute, text: string) => (await execute({ params: { text } })).rows?.[0]?.['text'];
const malformed = ['TRUNCATE', 'DROP TABLE users', 'GET /users'];

/** A file of its own, whose lock for writing another client has. */
export async function sqliteBed(): Promise<TargetBed> {
  const directory = mkdtempSync(join(tmpdir(), 'svc-target-'));
  const writer = new DatabaseSync(join(directory, 'test.db'));
  writer.exec('PRAGMA journal_mode = WAL; CREATE TABLE t (n INTEGER); BEGIN IMMEDIATE');
  return {
    spec: sqlite,
    connector: (services) =>
      createSqlite('db', configured(sqlite.config, { database: 'test.db' }), {
        ...services,
        directory,
      }) as TargetConnector,
    call: { verb: 'read', query: 'SELECT :text AS text' },
    echo: asText,
    stuck: {
      call: { verb: 'create', query: 'INSERT INTO t VALUES (1)' },
      request: {},
      begun: () => true,
      release: () => {
        if (writer.isTransaction) writer.exec('COMMIT');
      },
      isLeft: () => false,
    },
    malformed,
    secrets: [],
    close: async () => {
      writer.close();
      rmSync(directory, { recursive: true });
    },
  };
}

/** A server behind a proxy, on which another client holds a lock that statements ask for. */
export async function postgresBed(): Promise<TargetBed> {
  const url = new URL(postgresUrl as string);
  const holder = new pg.Client({ connectionString: url.href });
  await holder.connect();
  const proxy = await faultProxy({ host: url.hostname, port: Number(url.port || 5432) });
  url.host = `127.0.0.1:${proxy.port}`;
  url.password = 'keep:secret';
  // Beds share the database of the server, and no lock.
  const lock = randomInt(2 ** 31);
  await holder.query(`SELECT pg_advisory_lock(0, ${lock})`);
  const waits = async () => {
    const { rows } = await holder.query(
      `SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted AND classid = 0 AND objid = ${lock}`,
    );
    return rows.length > 0;
  };
  return {
    spec: postgres,
    connector: (services) => {
      const written = { url: url.href, connect_timeout: 1_000, statement_timeout: 10_000, pool: { max: 4, min: 1 } };
      return createPostgres('db', configured(postgres.config, written), services) as TargetConnector;
    },
    call: { verb: 'read', query: 'SELECT :text::text AS text' },
    echo: asText,
    stuck: {
      call: { verb: 'create', query: `SELECT pg_advisory_xact_lock_shared(0, ${lock})` },
      request: {},
      begun: waits,
      release: async () => void (await holder.query('SELECT pg_advisory_unlock_all()')),
      isLeft: waits,
    },
    proxy,
    malformed,
    secrets: ['keep:secret', 'keep%3Asecret', 'keep%3asecret'],
    close: async () => {
      await holder.end();
      await proxy.close();
    },
  };
}
