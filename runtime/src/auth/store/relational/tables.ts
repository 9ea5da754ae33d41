import type { Values } from '@svc/protocol/schema';
import type { KnownColumn, KnownTable, RuntimeTables } from '../../../contracts/sql.ts';
import { Failure } from '../../../errors/failure.ts';
import type { users } from '../../accounts/spec.ts';
import type { AccountDatabase } from './statements.ts';

/** The block `users` as it is written. */
export type UsersSettings = Values<typeof users>;

export const passkeyColumns =
  'id, user_id, public_key, counter, name, transports, aaguid, backup_eligible, backed_up, created_at, last_used_at';
export const identityColumns = 'user_id, provider, issuer, subject, email, name, picture, linked_at, updated_at';

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

/** Names of the tables beside that of the accounts, in its schema. */
export interface SideTables {
  readonly accounts: string;
  readonly history: string;
  readonly devices: string;
  readonly positions: string;
  readonly totp: string;
  readonly passkeys: string;
  readonly recoveryCodes: string;
  readonly identities: string;
  readonly keys: string;
}

export function sideTables({ table }: UsersSettings): SideTables {
  const schema = table.slice(0, table.lastIndexOf('.') + 1);
  const named = (name: string) => schema + name;
  return {
    accounts: named('svc_auth_accounts'),
    history: named('password_history'),
    devices: named('svc_auth_devices'),
    positions: named('svc_auth_positions'),
    totp: named('svc_auth_totp'),
    passkeys: named('svc_auth_passkeys'),
    recoveryCodes: named('svc_auth_recovery_codes'),
    identities: named('svc_auth_identities'),
    keys: named('svc_auth_keys'),
  };
}

/** The columns of the accounts, as the database has them. */
export interface UsersTable {
  readonly quoted: string;
  readonly columns: ReadonlyMap<string, KnownColumn>;
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

/** Absent in tables that earlier versions made. */
const accuracyColumn = 'accuracy DOUBLE PRECISION NULL';

/** Statements that make the other tables; each is made where it is missing. */
function sideStatements(tables: SideTables, dialect: RuntimeTables): readonly string[] {
  const { name, text, json } = dialect;
  return [
    ...dialect.make(tables.accounts, [
      `id ${name} NOT NULL PRIMARY KEY`,
      `metadata ${json} NOT NULL`,
      'last_login_at BIGINT NULL',
      'locked INTEGER NOT NULL',
      'mfa_enabled INTEGER NOT NULL',
      'email_verified INTEGER NOT NULL',
    ]),
    ...dialect.make(tables.history, [
      `id ${name} NOT NULL PRIMARY KEY`,
      `user_id ${name} NOT NULL`,
      `password_hash ${text} NOT NULL`,
      'created_at BIGINT NOT NULL',
      'UNIQUE (user_id, created_at)',
    ]),
    ...dialect.make(tables.devices, [
      `user_id ${name} NOT NULL`,
      `fingerprint ${name} NOT NULL`,
      'first_seen BIGINT NOT NULL',
      'last_seen BIGINT NOT NULL',
      'PRIMARY KEY (user_id, fingerprint)',
    ]),
    ...dialect.make(tables.positions, [
      `user_id ${name} NOT NULL PRIMARY KEY`,
      'latitude DOUBLE PRECISION NOT NULL',
      'longitude DOUBLE PRECISION NOT NULL',
      accuracyColumn,
      `label ${text} NOT NULL`,
      'seen_at BIGINT NOT NULL',
    ]),
    ...factorStatements(tables, dialect),
    ...dialect.make(tables.keys, [
      `id ${name} NOT NULL PRIMARY KEY`,
      `private_key ${text} NOT NULL`,
      'created_at BIGINT NOT NULL',
      'generation INTEGER NOT NULL UNIQUE',
    ]),
  ];
}

/** Statements that make the tables of second factors and of linked identities. */
function factorStatements(tables: SideTables, { name, text, make }: RuntimeTables): readonly string[] {
  return [
    ...make(tables.totp, [
      `user_id ${name} NOT NULL PRIMARY KEY`,
      `secret ${text} NOT NULL`,
      'confirmed_at BIGINT NULL',
      'last_step BIGINT NOT NULL',
    ]),
    ...make(tables.passkeys, [
      `digest ${name} NOT NULL PRIMARY KEY`,
      `id ${text} NOT NULL`,
      `user_id ${name} NOT NULL`,
      `public_key ${text} NOT NULL`,
      'counter BIGINT NOT NULL',
      `name ${text} NOT NULL`,
      `transports ${text} NOT NULL`,
      `aaguid ${name} NOT NULL`,
      'backup_eligible INTEGER NOT NULL',
      'backed_up INTEGER NOT NULL',
      'created_at BIGINT NOT NULL',
      'last_used_at BIGINT NULL',
    ]),
    ...make(tables.recoveryCodes, [
      `user_id ${name} NOT NULL`,
      `digest ${name} NOT NULL`,
      `code_hash ${text} NOT NULL`,
      'PRIMARY KEY (user_id, digest)',
    ]),
    ...make(tables.identities, [
      `digest ${name} NOT NULL PRIMARY KEY`,
      `user_id ${name} NOT NULL`,
      `provider ${name} NOT NULL`,
      `issuer ${text} NOT NULL`,
      `subject ${text} NOT NULL`,
      `email ${text} NOT NULL`,
      `name ${text} NOT NULL`,
      `picture ${text} NOT NULL`,
      'linked_at BIGINT NOT NULL',
      'updated_at BIGINT NOT NULL',
    ]),
  ];
}

/** Fail where a table or a column of it is missing. */
function probes(tables: SideTables): readonly string[] {
  const { accounts, history, devices, positions, totp, passkeys, recoveryCodes, identities, keys } = tables;
  return [
    `SELECT id, metadata, last_login_at, locked, mfa_enabled, email_verified FROM ${accounts} WHERE 1 = 0`,
    `SELECT id, user_id, password_hash, created_at FROM ${history} WHERE 1 = 0`,
    `SELECT user_id, fingerprint, first_seen, last_seen FROM ${devices} WHERE 1 = 0`,
    `SELECT user_id, latitude, longitude, accuracy, label, seen_at FROM ${positions} WHERE 1 = 0`,
    `SELECT user_id, secret, confirmed_at, last_step FROM ${totp} WHERE 1 = 0`,
    `SELECT digest, ${passkeyColumns} FROM ${passkeys} WHERE 1 = 0`,
    `SELECT user_id, digest, code_hash FROM ${recoveryCodes} WHERE 1 = 0`,
    `SELECT digest, ${identityColumns} FROM ${identities} WHERE 1 = 0`,
    `SELECT id, private_key, created_at, generation FROM ${keys} WHERE 1 = 0`,
  ];
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
  let problem: Failure | undefined;
  // Several processes may make the tables at once: a process that is too late finds them.
  for (let attempt = 0; attempt < 3; attempt++) {
    const isMissing = (await schema.describe(settings.table)) === undefined;
    problem = isMissing ? undefined : await missingSide(tables, database);
    if (!isMissing && problem === undefined) break;
    const made = [...(isMissing ? usersStatements(settings, dialect) : []), ...sideStatements(tables, dialect)];
    problem = (await make(made, database, dialect)) ?? (await missingSide(tables, database));
    if (problem === undefined) break;
    // It fails where another column is what is missing, or where another process has added it meanwhile.
    await make([`ALTER TABLE ${tables.positions} ADD COLUMN ${accuracyColumn}`], database, dialect);
    problem = await missingSide(tables, database);
    if (problem === undefined) break;
  }
  const table = await schema.describe(settings.table);
  if (problem !== undefined || table === undefined)
    throw unusable(settings, name, problem?.message ?? 'it cannot be made', problem);
  return checked(table, settings, name);
}

async function missingSide(tables: SideTables, database: AccountDatabase): Promise<Failure | undefined> {
  try {
    for (const probe of probes(tables)) await database.rows(probe, {});
    return undefined;
  } catch (error) {
    return refusal(error);
  }
}

/** All or none where the database can roll that back; resolves with the reason why they could not be made. */
async function make(
  statements: readonly string[],
  database: AccountDatabase,
  { undoesSchema }: RuntimeTables,
): Promise<Failure | undefined> {
  try {
    if (undoesSchema)
      await database.transaction(async ({ run }) => {
        for (const statement of statements) await run(statement, {});
      });
    else for (const statement of statements) await database.run(statement, {});
    return undefined;
  } catch (error) {
    return refusal(error);
  }
}

function checked(table: KnownTable, settings: UsersSettings, connector: string): UsersTable {
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
  return { quoted: table.quoted, columns };
}

function unusable({ table }: UsersSettings, connector: string, reason: string, cause?: Failure): Failure {
  const text = `table "${table}" of connector "${connector}" cannot keep accounts: ${reason}`;
  return new Failure('connector_failed', text, { cause, retriable: false, at: { connector } });
}

/** The objection of the database to a statement; throws the error that prevented the request. */
function refusal(error: unknown): Failure {
  if (error instanceof Failure && !error.retriable) return error;
  throw error;
}
