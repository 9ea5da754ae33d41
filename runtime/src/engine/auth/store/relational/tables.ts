import type { Values } from '@svc/protocol/schema';
import type { KnownColumn, KnownTable, RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { users } from '../../accounts/spec.ts';
import { make, SideLayout } from './layout.ts';
import { type Registered, registered, registerTable } from './register.ts';
import { sideDefinitions, sideTables } from './side-tables.ts';
import type { AccountDatabase } from './statements.ts';

/** The block `users` as it is written. */
export type UsersSettings = Values<typeof users>;

const usual = {
  id: 'id',
  email: 'email',
  password_hash: 'password_hash',
  created_at: 'created_at',
  updated_at: 'updated_at',
} as const;

/** Every field that has a column, with its name. */
export function fieldsOf({ fields }: UsersSettings): ReadonlyMap<string, string> {
  const written = Object.entries(fields ?? {}).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return new Map([...Object.entries(usual), ...written]);
}

/** The columns of the accounts, as the database has them. */
export interface UsersTable {
  readonly quoted: string;
  readonly columns: ReadonlyMap<string, KnownColumn>;
  readonly registered: Registered;
}

const quotedTable = (table: string, { quote }: RuntimeTables) => table.split('.').map(quote).join('.');

/** Statements that make the table of the accounts. */
function usersStatements(settings: UsersSettings, dialect: RuntimeTables): readonly string[] {
  const { name, text, time, flag, quote } = dialect;
  const types: Readonly<Record<string, string>> = {
    id: `${name} NOT NULL PRIMARY KEY`,
    email: `${name} NOT NULL UNIQUE`,
    password_hash: `${text} NULL`,
    created_at: `${time} NOT NULL`,
    updated_at: `${time} NOT NULL`,
    mfa_enabled: `${flag} NOT NULL`,
    password_changed_at: `${time} NULL`,
    roles: `${text} NULL`,
  };
  const definitions = [...fieldsOf(settings)].map(([field, column]) => `${quote(column)} ${types[field]}`);
  return dialect.make(quotedTable(settings.table, dialect), definitions);
}

/**
 * Makes what is missing and describes the table of the accounts. Rejects with a Failure that names every column that is
 * missing or cannot be used.
 */
export async function prepareTables(
  settings: UsersSettings,
  database: AccountDatabase,
  dialect: RuntimeTables,
): Promise<UsersTable> {
  const { name, schema } = database.connector;
  if (schema === undefined) throw unusable(settings, name, 'it is not a relational database');
  const tables = sideTables(settings);
  const definitions = sideDefinitions(tables, dialect);
  const registers = registerTable(settings.table, dialect);
  const layout = new SideLayout(database, schema, dialect, [...definitions, registers]);
  let problem: Failure | undefined;
  // Several processes may make the tables at once: a process that is too late finds them.
  for (let attempt = 0; attempt < 3; attempt++) {
    const isMissing = (await schema.describe(settings.table)) === undefined;
    problem = isMissing ? undefined : await layout.problem();
    if (!isMissing && problem === undefined) break;
    problem = await layout.widen();
    const made = [...(isMissing ? usersStatements(settings, dialect) : []), ...layout.statements];
    problem ??= (await make(made, database, dialect)) ?? (await layout.problem());
    if (problem === undefined) break;
  }
  const table = await schema.describe(settings.table);
  const register = await schema.describe(registers.name);
  if (problem !== undefined || table === undefined || register === undefined)
    throw unusable(settings, name, problem?.message ?? 'it cannot be made', problem);
  const users = checked(table, settings, name);
  const parts = {
    database,
    schema,
    dialect,
    tables,
    definitions,
    register,
    users: table,
    id: users.id,
    written: settings.table,
  };
  return { ...users, registered: await registered(parts) };
}

function checked(
  table: KnownTable,
  settings: UsersSettings,
  connector: string,
): Omit<UsersTable, 'registered'> & { readonly id: string } {
  const fields = fieldsOf(settings);
  const columns = new Map<string, KnownColumn>();
  const missing: string[] = [];
  for (const [field, written] of fields) {
    const column = table.column(written);
    if (column === undefined) missing.push(`"${written}"`);
    else columns.set(field, column);
  }
  if (missing.length > 0) {
    const what = missing.length === 1 ? `column ${missing[0]} is missing` : `columns ${missing.join(', ')} are missing`;
    throw unusable(settings, connector, `${what}; add them, or say with users { fields { … } } which columns they are`);
  }
  const isUnique = (field: string) =>
    table.uniqueKeys.some((key) => key.columns.length === 1 && key.columns[0]?.name === columns.get(field)?.name);
  for (const field of ['id', 'email']) {
    if (isUnique(field)) continue;
    const column = columns.get(field)?.name;
    const remedy = `make it so with CREATE UNIQUE INDEX ${settings.table.replaceAll('.', '_')}_${column} ON ${settings.table} (${column})`;
    throw unusable(
      settings,
      connector,
      `column "${column}" is not unique, so that two accounts could share it; ${remedy}`,
    );
  }
  return { quoted: table.quoted, columns, id: fields.get('id') as string };
}

function unusable({ table }: UsersSettings, connector: string, reason: string, cause?: Failure): Failure {
  const text = `table "${table}" of connector "${connector}" cannot keep accounts: ${reason}`;
  return new Failure('connector_failed', text, { cause, retriable: false, at: { connector } });
}
