import { randomBytes } from 'node:crypto';
import { insertText, type KnownTable, type RuntimeTables, type Schema } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { AccountScope } from '../scope.ts';
import { nothingBeside } from './account-lock.ts';
import { registerOf, type SideTable, type SideTables } from './side-tables.ts';
import type { AccountDatabase, Row, Statements } from './statements.ts';

/** The version of what this program writes; that of programs before there was a register is 1. */
const version = 2;
/** The lowest version of programs that can read it. */
const readers = 1;

const columns = ['users_table', 'scope', 'row_scope', 'id_column', 'version', 'readers', 'upgraded_at'] as const;

/** The register of the tables of accounts whose side tables are in one schema. */
export function registerTable(users: string, { name }: RuntimeTables): SideTable {
  return {
    name: registerOf(users),
    columns: {
      users_table: `${name} NOT NULL`,
      scope: `${name} NOT NULL`,
      // What the rows of its accounts have. A second unique key: one table alone has the empty text.
      row_scope: `${name} NOT NULL UNIQUE`,
      id_column: `${name} NOT NULL`,
      version: 'INTEGER NOT NULL',
      readers: 'INTEGER NOT NULL',
      upgraded_at: 'BIGINT NULL',
    } satisfies Record<(typeof columns)[number], string>,
    primary: ['users_table'],
    unique: ['scope'],
  };
}

/** What is known of a table of accounts. */
export interface Registered {
  readonly scope: AccountScope;
  /** What the rows of its accounts have in the side tables. */
  readonly rows: string;
  /** Accounts that the version before let share what they had with accounts of the first table; none of it is theirs now. */
  readonly shared: number;
}

export interface RegisterOptions {
  readonly database: AccountDatabase;
  readonly dialect: RuntimeTables;
  readonly tables: SideTables;
  readonly definitions: readonly SideTable[];
  /** The name of the table of the accounts as it is written, the table, its column of ids, and the register. */
  readonly written: string;
  readonly users: KnownTable;
  readonly id: string;
  readonly register: KnownTable;
  readonly schema: Schema;
}

/** What is known of a table of accounts, which is entered where it is new. Rejects with a Failure where a later version alone may use it. */
export async function registered(options: RegisterOptions): Promise<Registered> {
  const { database, dialect, register: table, users } = options;
  const name = nameIn(table, users);
  for (let attempt = 0; attempt < 3; attempt++) {
    const rows = await database.rows(`SELECT ${columns.join(', ')} FROM ${table.quoted}`, {});
    const found = rows.find((row) => row['users_table'] === name);
    if (found !== undefined) return { ...(await readable(found, options)), shared: 0 };
    const [clock] = await database.rows(dialect.now, {});
    const others = await Promise.all(rows.map((row) => idsIn(row, options)));
    const entry = { name, others, now: Number(clock?.['now']), first: rows.find((row) => row['row_scope'] === '') };
    const made = await database.transaction((statements) => enter(statements, entry, options));
    if (made !== undefined) return made;
  }
  throw new Failure('store_unavailable', `table "${name}" cannot be entered into ${table.quoted}`);
}

/** The name of the table in the schema of the register, with its schema where that is another. */
function nameIn({ place: { schema } }: KnownTable, { place }: KnownTable): string {
  return place.schema === schema ? place.table : `${place.schema}.${place.table}`;
}

async function readable(row: Row, { database, register: table }: RegisterOptions): Promise<Omit<Registered, 'shared'>> {
  const [has, needs] = [Number(row['version']), Number(row['readers'])];
  if (needs > version) {
    const text = `table "${String(row['users_table'])}" was written by version ${has} of the tables of the sign-in system, which programs of version ${needs} and later can read; this program has version ${version}`;
    throw new Failure('connector_failed', text, { retriable: false, at: { connector: database.connector.name } });
  }
  if (has < version) {
    const query = `UPDATE ${table.quoted} SET version = :version, readers = :readers WHERE users_table = :name AND version < :version`;
    await database.run(query, { version, readers, name: row['users_table'] });
  }
  const at = row['upgraded_at'];
  const scope = new AccountScope(String(row['scope']), at === null ? undefined : Number(at));
  return { scope, rows: String(row['row_scope']) };
}

/** A table that is not in the register. */
interface Entry {
  readonly name: string;
  /** The row of the first table; undefined while the register has no first table. */
  readonly first: Row | undefined;
  /** Queries for the ids of the accounts of other tables; undefined for a table that is gone. */
  readonly others: readonly (string | undefined)[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The first table has the rows without a scope, which the version before wrote and writes, unless all of them belong to
 * others; every further one takes those over that can only be its own. Undefined where another process came before.
 */
async function enter(
  statements: Statements,
  { name, first, others, now }: Entry,
  { dialect, tables, definitions, register: table, users, id }: RegisterOptions,
): Promise<Registered | undefined> {
  const mine = idsOf(users, id, dialect);
  const left = `SELECT COUNT(*) AS held FROM ${tables.accounts} WHERE scope = ''`;
  const count = async (query: string) => Number((await statements.rows(query, {}))[0]?.['held']);
  // The rows of a first table that no version before had are all its own.
  const isMixed = first === undefined || first['upgraded_at'] !== null;
  const isUpgraded = isMixed && (await count(`${left} AND id IN (${mine})`)) > 0;
  const isFirst = first === undefined && (isUpgraded || (await count(left)) === 0);
  const scope = randomBytes(16).toString('hex');
  const upgradedAt = isUpgraded ? now : undefined;
  const row = {
    users_table: name,
    scope,
    row_scope: isFirst ? '' : scope,
    id_column: id,
    version,
    readers,
    upgraded_at: upgradedAt ?? null,
  };
  if ((await statements.run(dialect.insertOnce(table.quoted, columns), row)) !== 1) return undefined;
  const ids = { mine, others: others.map((other) => other ?? mine) };
  const shared = isUpgraded && !isFirst ? await takeOver(statements, scope, ids, { tables, definitions }) : 0;
  return { scope: new AccountScope(scope, upgradedAt), rows: row.row_scope, shared };
}

/** How many accounts have rows that may belong to an account of another table: these stay where they are. */
async function takeOver(
  { rows, run }: Statements,
  scope: string,
  { mine, others }: { readonly mine: string; readonly others: readonly string[] },
  { tables, definitions }: Pick<RegisterOptions, 'tables' | 'definitions'>,
): Promise<number> {
  for (const { name, account } of definitions) {
    if (account === undefined) continue;
    const only = others.map((ids) => ` AND ${account} NOT IN (${ids})`).join('');
    await run(`UPDATE ${name} SET scope = :scope WHERE scope = '' AND ${account} IN (${mine})${only}`, { scope });
  }
  const left = await rows(`SELECT id, locked FROM ${tables.accounts} WHERE scope = '' AND id IN (${mine})`, {});
  // An account that is locked stays locked on both sides.
  const insert = insertText(tables.accounts, ['scope', 'id', ...Object.keys(nothingBeside)]);
  for (const { id, locked } of left)
    if (Number(locked) === 1) await run(insert, { ...nothingBeside, scope, id, locked: 1 });
  return left.length;
}

/** A query for the ids of the accounts of a table of the register; undefined where the table is gone, and with it what was its own. */
async function idsIn(row: Row, { schema, dialect, written }: RegisterOptions) {
  const name = String(row['users_table']);
  const known = await schema.describe(name.includes('.') ? name : written.replace(/[^.]*$/, name));
  const id = String(row['id_column']);
  return known?.column(id) === undefined ? undefined : idsOf(known, id, dialect);
}

function idsOf(table: KnownTable, id: string, dialect: RuntimeTables): string {
  const column = table.column(id);
  return `SELECT ${dialect.asKey(column?.quoted ?? id)} FROM ${table.quoted}`;
}
