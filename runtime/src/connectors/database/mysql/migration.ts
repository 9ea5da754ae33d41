import type { MigrationConnection } from '../server/migration.ts';
import { scan } from '../statement/scanner.ts';
import { mysqlDialect } from './dialect.ts';
import { Link, type LinkOptions, type Result, session } from './link.ts';
import { convertRows } from './values.ts';

/** Names of locks belong to the server, so that each database has its own. */
const lock = "SELECT GET_LOCK(CONCAT('svc-migrate-', LEFT(SHA2(DATABASE(), 256), 40)), 0) AS held";

/**
 * A connection that takes a whole script at once: the server knows where a procedure ends. Rejects with the error of
 * mysql2.
 */
export async function openMigration(options: LinkOptions): Promise<MigrationConnection> {
  const link = await Link.open(options, { ended: () => undefined, several: true });
  return {
    lock: async () => Number(rowsIn(await link.send({ text: lock }))[0]?.['held']) === 1,
    query: async (text, values) => rowsIn(await link.send({ text, values })),
    script: async (sql) => {
      // A comment behind the last semicolon would be a statement without content.
      const statements = scan(sql, mysqlDialect.lexis).statements.map(({ text }) => text);
      if (statements.length > 0) await link.send({ text: statements.join(';\n') });
    },
    restore: async () => void (await link.send({ text: restored(options) })),
    command: async (text) => void (await link.send({ text })),
    inTransaction: true,
    end: () => link.end(),
  };
}

/** What dumps set, and whatever else changes what the next statement does. */
function restored({ address, charset }: LinkOptions): string {
  const defaults = ['sql_mode', 'foreign_key_checks', 'unique_checks', 'sql_notes', 'sql_safe_updates'];
  return [
    'UNLOCK TABLES',
    `USE ${mysqlDialect.quote(address.database)}`,
    `SET SESSION ${defaults.map((name) => `${name} = DEFAULT`).join(', ')}, autocommit = 1`,
    `SET NAMES ${charset}`,
    session,
  ].join('; ');
}

function rowsIn(result: Result): Record<string, unknown>[] {
  return 'fields' in result ? convertRows(result.fields, result.rows, false) : [];
}
