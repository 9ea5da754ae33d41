import type pg from 'pg';
import type { MigrationConnection } from '../server/migration.ts';
import type { Lease } from '../server/node.ts';
import { scan } from '../statement/scanner.ts';
import { postgresDialect } from './dialect.ts';
import { isInTransaction, session } from './pool.ts';

/** The key of the advisory lock: "svc" and a number of its own. */
const lockKey = [0x737663, 1];

/** A connection of the pool, for a migration. */
export function migrationOn({ connection: client, release }: Lease<pg.PoolClient>): MigrationConnection {
  return {
    lock: async () =>
      (await client.query('SELECT pg_try_advisory_lock($1, $2) AS held', lockKey)).rows[0]?.held === true,
    query: async (text, values) => (await client.query(text, [...values])).rows,
    script: async (sql) => {
      if (isInTransaction(client)) return void (await client.query(sql));
      // Several statements in one message would be one transaction.
      for (const statement of scan(sql, postgresDialect.lexis).statements) await client.query(statement.text);
    },
    restore: async () => void (await client.query(`RESET SESSION AUTHORIZATION; RESET ALL; ${session}`)),
    command: async (text) => void (await client.query(text)),
    get inTransaction() {
      return isInTransaction(client);
    },
    end: () => release(true),
  };
}
