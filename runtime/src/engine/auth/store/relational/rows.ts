import type { KnownColumn, RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { normalisedEmail } from '../../accounts/email.ts';
import { type Account, type AccountChange, changesAccount } from '../accounts.ts';
import { LetterCase } from './letter-case.ts';
import type { AccountDatabase, Row, Statements } from './statements.ts';
import { prepareTables, type UsersSettings, type UsersTable } from './tables.ts';
import { flagFor, flagFrom, idFor, type Moments, momentFrom, momentsOf, rolesFor, rolesFrom } from './values.ts';

/** The table of the accounts: what its columns hold, and how an account is read and written. */
export class AccountRows {
  readonly table: UsersTable;
  readonly #users: UsersSettings;
  readonly #database: AccountDatabase;
  readonly #dialect: RuntimeTables;
  readonly #moments: ReadonlyMap<string, Moments>;
  readonly #letterCase: LetterCase;

  private constructor(
    users: UsersSettings,
    database: AccountDatabase,
    dialect: RuntimeTables,
    known: {
      readonly table: UsersTable;
      readonly moments: ReadonlyMap<string, Moments>;
      readonly letterCase: LetterCase;
    },
  ) {
    this.#users = users;
    this.#database = database;
    this.#dialect = dialect;
    this.table = known.table;
    this.#moments = known.moments;
    this.#letterCase = known.letterCase;
  }

  /** Makes the tables that are missing. Rejects with a Failure that names what an existing one lacks. */
  static async open(users: UsersSettings, database: AccountDatabase, dialect: RuntimeTables): Promise<AccountRows> {
    const table = await prepareTables(users, database, dialect);
    const moments = new Map<string, Moments>();
    for (const field of ['created_at', 'updated_at', 'password_changed_at']) {
      const column = table.columns.get(field);
      if (column === undefined) continue;
      const { quoted } = column;
      const query = `SELECT ${quoted} AS sample FROM ${table.quoted} WHERE ${quoted} IS NOT NULL LIMIT 1`;
      const [row] = await database.rows(query, {});
      moments.set(field, momentsOf(column, row?.['sample'], dialect));
    }
    const email = (table.columns.get('email') as KnownColumn).quoted;
    const letterCase = await LetterCase.of(database, table.quoted, email);
    return new AccountRows(users, database, dialect, { table, moments, letterCase });
  }

  /** Rows by the names of the fields. */
  get select(): string {
    const { quote } = this.#dialect;
    const columns = [...this.table.columns].map(([field, { quoted }]) => `${quoted} AS ${quote(field)}`);
    return `SELECT ${columns.join(', ')} FROM ${this.table.quoted}`;
  }

  /** A field's column, quoted. */
  column(field: string): string {
    return (this.table.columns.get(field) as KnownColumn).quoted;
  }

  /** An id as its column takes it; undefined where it cannot, so that no account has it. */
  id(id: string): unknown {
    return idFor(this.table.columns.get('id') as KnownColumn, id);
  }

  moment(field: string, milliseconds: number | undefined): unknown {
    return this.#moments.get(field)?.encode(milliseconds);
  }

  /** Every row that the database finds equal to an address, whatever it finds equal; two at most. */
  async found(email: string): Promise<readonly Row[]> {
    const column = this.column('email');
    const limit = 'LIMIT 3';
    const rows = await this.#database.rows(`${this.select} WHERE ${column} = :email ${limit}`, { email });
    if (rows.length > 0 || !this.#letterCase.mayBeMixed) return rows;
    return this.#database.rows(`${this.select} WHERE LOWER(${column}) = :email ${limit}`, { email });
  }

  /** Those of these addresses that have a row, whatever the database finds equal. */
  async foundAll(emails: readonly string[]): Promise<ReadonlySet<string>> {
    const column = this.column('email');
    const asked = new Map(emails.map((email) => [email, email]));
    const found = new Set<string>();
    const look = async (sought: string) => {
      const query = `SELECT ${column} AS email FROM ${this.table.quoted} WHERE ${sought} IN (:emails)`;
      for (const row of await this.#database.rows(query, { emails })) {
        const email = asked.get(String(row['email'])) ?? asked.get(spelled(row) ?? '');
        if (email !== undefined) found.add(email);
        // The database finds it equal to an address, which only asking for each tells.
        else for (const each of emails) if (!found.has(each) && (await this.found(each)).length > 0) found.add(each);
      }
    };
    await look(column);
    if (this.#letterCase.mayBeMixed) await look(`LOWER(${column})`);
    return found;
  }

  /** Rows by address, after that of the page before. */
  page(after: string | undefined, limit: number): Promise<readonly Row[]> {
    const email = this.#letterCase.mayBeMixed ? `LOWER(${this.column('email')})` : this.column('email');
    const where = after === undefined ? '' : ` WHERE ${email} > :after`;
    return this.#database.rows(`${this.select}${where} ORDER BY ${email} LIMIT :limit`, { after, limit });
  }

  /** The row with exactly this id, whatever else the database finds equal. */
  async row(from: Pick<Statements, 'rows'>, id: string): Promise<Row | undefined> {
    const value = this.id(id);
    if (value === undefined) return undefined;
    const rows = await from.rows(`${this.select} WHERE ${this.column('id')} = :id`, { id: value });
    return rows.find((row) => String(row['id']) === id);
  }

  /** `beside`: its row in the table of what has no column. */
  accountOf(row: Row, beside: Row | undefined): Account {
    const hash = row['password_hash'];
    const enabled = this.table.columns.has('mfa_enabled') ? row['mfa_enabled'] : beside?.['mfa_enabled'];
    return {
      id: String(row['id']),
      email: spelled(row) ?? String(row['email']),
      passwordHash: hash === null || hash === '' ? undefined : String(hash),
      createdAt: momentFrom(row['created_at']) ?? 0,
      updatedAt: momentFrom(row['updated_at']) ?? 0,
      passwordChangedAt: momentFrom(row['password_changed_at']),
      roles: rolesFrom(row['roles']),
      mfaEnabled: flagFrom(enabled),
      emailVerified: flagFrom(beside?.['email_verified']),
      metadata: beside === undefined ? {} : (JSON.parse(String(beside['metadata'])) as Account['metadata']),
      lastLoginAt: momentFrom(beside?.['last_login_at']),
      locked: flagFrom(beside?.['locked']),
    };
  }

  /** Values by field, the id aside. */
  rowOf(account: Account): Map<string, unknown> {
    const { columns } = this.table;
    const { email, passwordHash, createdAt, updatedAt, passwordChangedAt, roles, mfaEnabled } = account;
    const values = new Map<string, unknown>([
      ['email', email],
      ['password_hash', passwordHash ?? null],
      ['created_at', this.moment('created_at', createdAt)],
      ['updated_at', this.moment('updated_at', updatedAt)],
    ]);
    if (columns.has('password_changed_at'))
      values.set('password_changed_at', this.moment('password_changed_at', passwordChangedAt));
    const inRoles = columns.get('roles');
    if (inRoles !== undefined) values.set('roles', rolesFor(inRoles, roles, undefined));
    else if (roles.length > 0) throw this.without('roles');
    const inMfa = columns.get('mfa_enabled');
    if (inMfa !== undefined) values.set('mfa_enabled', flagFor(inMfa, mfaEnabled));
    return values;
  }

  /** Values by field that a change sets in this row. */
  changed(change: AccountChange, row: Row, at: number): Map<string, unknown> {
    const { columns } = this.table;
    const { email, roles, mfaEnabled } = change;
    const set = new Map<string, unknown>();
    if (email !== undefined) set.set('email', email);
    if (roles !== undefined) set.set('roles', rolesFor(columns.get('roles') as KnownColumn, roles, row['roles']));
    const inMfa = columns.get('mfa_enabled');
    if (mfaEnabled !== undefined && inMfa !== undefined) set.set('mfa_enabled', flagFor(inMfa, mfaEnabled));
    if (changesAccount(change)) set.set('updated_at', this.moment('updated_at', at));
    return set;
  }

  /** What to say where a field has no column. */
  without(field: string): Failure {
    const text = `table "${this.#users.table}" has no column for ${field}; write users { fields { ${field} = "<column>" } }`;
    return new Failure('connector_failed', text, { retriable: false });
  }
}

/** The address of a row in its one spelling; undefined for what is not an address. */
export function spelled(row: Row): string | undefined {
  return normalisedEmail(String(row['email']));
}
