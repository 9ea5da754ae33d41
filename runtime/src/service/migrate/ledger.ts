import type { MigrationSession } from '../../connectors/database/engine.ts';
import type { Dialect } from '../../connectors/database/statement/dialect.ts';
import type { MigrationFile } from './files.ts';

/** What the database remembers of one applied file. */
export interface AppliedMigration {
  readonly name: string;
  /** SHA-256 of the file when it was applied; empty when that is not known (adopted without a file). */
  readonly checksum: string;
  /** RFC 3339 in UTC. */
  readonly appliedAt: string;
}

export const ledgerTable = '_svc_migrations';
/** The table of an older runtime, whose rows are adopted when ours is absent. */
export const formerTable = '_mycel_migrations';

const create = `CREATE TABLE ${ledgerTable} (name VARCHAR(255) PRIMARY KEY, checksum VARCHAR(64) NOT NULL, applied_at VARCHAR(40) NOT NULL)`;

/** The names, checksums and times in the database, by name. */
export async function readLedger(session: MigrationSession): Promise<Map<string, AppliedMigration>> {
  const rows = await session.query(`SELECT name, checksum, applied_at FROM ${ledgerTable}`, []);
  return new Map(
    rows.map((row) => {
      const name = String(row['name']);
      return [name, { name, checksum: String(row['checksum']), appliedAt: String(row['applied_at']) }];
    }),
  );
}

/** Makes the table, with the rows of the former one when there is one. */
export async function createLedger(
  session: MigrationSession,
  dialect: Dialect,
  files: readonly MigrationFile[],
  former: boolean,
  now: number,
): Promise<void> {
  await session.transaction(async () => {
    await session.script(create);
    if (!former) return;
    for (const entry of await readFormer(session, files, now)) await record(session, dialect, entry);
  });
}

/**
 * The rows of the former table. It knew no checksums: the files as they are now are taken as what was applied. Its
 * names are matched with and without `.sql`.
 */
export async function readFormer(
  session: MigrationSession,
  files: readonly MigrationFile[],
  now: number,
): Promise<AppliedMigration[]> {
  const rows = await session.query(`SELECT * FROM ${formerTable}`, []);
  return rows.map((row) => {
    const written = String(row['name']);
    const file = files.find((one) => one.name === written || one.name === `${written}.sql`);
    return { name: file?.name ?? written, checksum: file?.checksum ?? '', appliedAt: time(row['applied_at'], now) };
  });
}

export async function record(session: MigrationSession, dialect: Dialect, entry: AppliedMigration): Promise<void> {
  const marks = [1, 2, 3].map((number) => dialect.placeholder(number)).join(', ');
  const values = [entry.name, entry.checksum, entry.appliedAt];
  await session.query(`INSERT INTO ${ledgerTable} (name, checksum, applied_at) VALUES (${marks})`, values);
}

function time(value: unknown, now: number): string {
  const text = value instanceof Date ? value.toISOString() : typeof value === 'string' ? value : '';
  const parsed = Date.parse(/[Z+]|\d-\d\d:?\d\d$/.test(text) ? text : `${text.replace(' ', 'T')}Z`);
  return new Date(Number.isNaN(parsed) ? now : parsed).toISOString();
}
