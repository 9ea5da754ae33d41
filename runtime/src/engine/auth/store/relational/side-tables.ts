import type { RuntimeTables } from '../../../../foundation/contracts/sql.ts';

export const passkeyColumns =
  'id, user_id, public_key, counter, name, transports, aaguid, backup_eligible, backed_up, created_at, last_used_at';
export const identityColumns = 'user_id, provider, issuer, subject, email, name, picture, linked_at, updated_at';

/** What a row has to meet to belong to the accounts of this table: several may keep theirs in one schema. */
export const own = 'scope = :scope';

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

/** A table beside that of the accounts. Its keys begin with the scope, unless their values are random. */
export interface SideTable {
  readonly name: string;
  /** Types by column. The last one is the scope; a row that names none belongs to the first table of its schema. */
  readonly columns: Readonly<Record<string, string>>;
  readonly primary: readonly string[];
  readonly unique?: readonly string[] | undefined;
  /** The column of the account; undefined where rows belong to no account. */
  readonly account?: string | undefined;
}

/** In the schema of this table. */
const beside = (users: string, name: string) => users.slice(0, users.lastIndexOf('.') + 1) + name;

/** The register of the tables of accounts whose side tables are in the schema of this one. */
export const registerOf = (users: string) => beside(users, 'svc_auth_scopes');

export function sideTables({ table }: { readonly table: string }): SideTables {
  const named = (name: string) => beside(table, name);
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

/** The tables in the order in which transactions write them. */
export function sideDefinitions(tables: SideTables, { name, text, json }: RuntimeTables): readonly SideTable[] {
  const [key, count, whole] = [`${name} NOT NULL`, 'INTEGER NOT NULL', 'BIGINT NOT NULL'];
  const long = `${text} NOT NULL`;
  const scope = `${name} NOT NULL DEFAULT ''`;
  return [
    {
      name: tables.accounts,
      columns: {
        id: key,
        metadata: `${json} NOT NULL`,
        last_login_at: 'BIGINT NULL',
        locked: count,
        mfa_enabled: count,
        email_verified: count,
        // Which account it is; empty where that was not noted yet (`same-account.ts`).
        account_at: 'BIGINT NULL',
        account_email: `${text} NULL`,
        scope,
      },
      primary: ['scope', 'id'],
      account: 'id',
    },
    {
      name: tables.history,
      columns: { id: key, user_id: key, password_hash: long, created_at: whole, scope },
      primary: ['id'],
      unique: ['scope', 'user_id', 'created_at'],
      account: 'user_id',
    },
    {
      name: tables.devices,
      columns: { user_id: key, fingerprint: key, first_seen: whole, last_seen: whole, scope },
      primary: ['scope', 'user_id', 'fingerprint'],
      account: 'user_id',
    },
    {
      name: tables.positions,
      columns: {
        user_id: key,
        latitude: 'DOUBLE PRECISION NOT NULL',
        longitude: 'DOUBLE PRECISION NOT NULL',
        accuracy: 'DOUBLE PRECISION NULL',
        label: long,
        seen_at: whole,
        scope,
      },
      primary: ['scope', 'user_id'],
      account: 'user_id',
    },
    {
      name: tables.totp,
      columns: { user_id: key, secret: long, confirmed_at: 'BIGINT NULL', last_step: whole, scope },
      primary: ['scope', 'user_id'],
      account: 'user_id',
    },
    {
      name: tables.passkeys,
      columns: {
        digest: key,
        id: long,
        user_id: key,
        public_key: long,
        counter: whole,
        name: long,
        transports: long,
        aaguid: key,
        backup_eligible: count,
        backed_up: count,
        created_at: whole,
        last_used_at: 'BIGINT NULL',
        scope,
      },
      primary: ['scope', 'digest'],
      account: 'user_id',
    },
    {
      name: tables.recoveryCodes,
      columns: { user_id: key, digest: key, code_hash: long, scope },
      primary: ['scope', 'user_id', 'digest'],
      account: 'user_id',
    },
    {
      name: tables.identities,
      columns: {
        digest: key,
        user_id: key,
        provider: key,
        issuer: long,
        subject: long,
        email: long,
        name: long,
        picture: long,
        linked_at: whole,
        updated_at: whole,
        scope,
      },
      primary: ['scope', 'digest'],
      account: 'user_id',
    },
    {
      name: tables.keys,
      columns: { id: key, private_key: long, created_at: whole, generation: count, scope },
      primary: ['id'],
      unique: ['scope', 'generation'],
    },
  ];
}

/** A key of a table. */
export interface SideKey {
  readonly names: readonly string[];
  readonly isPrimary: boolean;
}

export function keysOf({ primary, unique }: SideTable): readonly SideKey[] {
  return [{ names: primary, isPrimary: true }, ...(unique === undefined ? [] : [{ names: unique, isPrimary: false }])];
}

/** As CREATE TABLE has it. */
export function keyText({ names, isPrimary }: SideKey): string {
  return `${isPrimary ? 'PRIMARY KEY' : 'UNIQUE'} (${names.join(', ')})`;
}

/** Columns and keys, as CREATE TABLE has them. */
export function definitionsOf(table: SideTable): readonly string[] {
  return [...Object.entries(table.columns).map(([name, type]) => `${name} ${type}`), ...keysOf(table).map(keyText)];
}

/** Fails where the table or a column of it is missing. */
export function probeOf({ name, columns }: SideTable): string {
  return `SELECT ${Object.keys(columns).join(', ')} FROM ${name} WHERE 1 = 0`;
}
