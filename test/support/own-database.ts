import { randomBytes } from 'node:crypto';
import pg from 'pg';

/** A database of its own on a PostgreSQL server that others may use. */
export interface OwnDatabase {
  readonly url: string;
  /** Runs a statement in it. */
  rows<T extends object>(statement: string, values?: readonly unknown[]): Promise<T[]>;
  drop(): Promise<void>;
}

/** Makes a database on the server of this address. */
export async function ownDatabase(server: string): Promise<OwnDatabase> {
  const name = `svc_own_${randomBytes(6).toString('hex')}`;
  const url = new URL(server);
  url.pathname = `/${name}`;
  const administrate = async (statement: string) => {
    const client = new pg.Client(server);
    await client.connect();
    await client.query(statement).finally(() => client.end());
  };
  await administrate(`CREATE DATABASE ${name}`);
  const pool = new pg.Pool({ connectionString: url.href, max: 2 });
  // A connection that is idle while the database goes away.
  pool.on('error', () => undefined);
  return {
    url: url.href,
    rows: async <T extends object>(statement: string, values: readonly unknown[] = []) =>
      (await pool.query<T>(statement, [...values])).rows,
    drop: async () => {
      await pool.end();
      await administrate(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
