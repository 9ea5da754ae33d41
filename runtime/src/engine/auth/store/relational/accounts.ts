import type { Connector } from '../../../../foundation/contracts/connector.ts';
import { insertText, type KnownColumn, type RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type {
  Account,
  AccountChange,
  AccountStore,
  Device,
  PasswordChange,
  Position,
  Rehash,
  SigningKey,
} from '../accounts.ts';
import type { LinkedIdentity } from '../identities.ts';
import type { AccountScope } from '../scope.ts';
import { nothingBeside } from './account-lock.ts';
import { Belongings } from './belongings.ts';
import { RelationalFactorStore } from './factors.ts';
import { RelationalIdentityStore } from './identities.ts';
import { AccountRows, spelled } from './rows.ts';
import { isOfFormer, type NotedAccount, notedAccount, notedOf } from './same-account.ts';
import { own, sideTables } from './side-tables.ts';
import { AccountDatabase, type Params, type Row, type Statements } from './statements.ts';
import { fieldsOf, type UsersSettings } from './tables.ts';
import { newIdFor } from './values.ts';

export interface RelationalAccountOptions {
  /** The database; its connector opens and closes it. */
  readonly connector: Pick<Connector, 'name' | 'target' | 'schema'>;
  readonly dialect: RuntimeTables;
  readonly users: UsersSettings;
  /** Where it is said what accounts lost that may have been, or was, of others. */
  readonly log?: Pick<Log, 'warn'> | undefined;
}

/** Accounts in a table of a relational database that others may use too, and what belongs to them in tables beside it. */
export class RelationalAccountStore implements AccountStore {
  readonly name: string;
  readonly processLocal = false;
  readonly keepsPasswordAge: boolean;
  readonly keepsRoles: boolean;
  readonly factors: RelationalFactorStore;
  readonly identities: RelationalIdentityStore;
  readonly #options: RelationalAccountOptions;
  readonly #database: AccountDatabase;
  readonly #belongings: Belongings;
  readonly #side: string;
  #opened: AccountRows | undefined;

  constructor(options: RelationalAccountOptions) {
    const { connector, dialect, users } = options;
    const fields = fieldsOf(users);
    this.name = `auth:accounts:${connector.name}`;
    this.keepsPasswordAge = fields.has('password_changed_at');
    this.keepsRoles = fields.has('roles');
    this.#options = options;
    this.#database = new AccountDatabase(connector);
    const tables = sideTables(users);
    this.#side = tables.accounts;
    this.#belongings = new Belongings(this.#database, dialect, tables);
    const dropFormer = (id: string) => this.#dropFormer(id);
    this.factors = new RelationalFactorStore(this.#database, dialect, tables, dropFormer);
    this.identities = new RelationalIdentityStore(this.#database, dialect, tables, dropFormer);
  }

  /** Makes the tables that are missing. Rejects with a Failure that names what an existing one lacks. */
  async open(): Promise<void> {
    const { users, dialect, connector, log } = this.#options;
    const opened = await AccountRows.open(users, this.#database, dialect);
    const { rows, shared } = opened.table.registered;
    this.#database.scope = rows;
    this.#opened = opened;
    if (shared > 0)
      log?.warn(
        'accounts of two tables had one id, and shared what belongs to them: it stays with the table that came first, and those of this table enrol again',
        { connector: connector.name, table: users.table, accounts: shared },
      );
  }

  async close(): Promise<void> {}

  get scope(): AccountScope {
    return this.#rows.table.registered.scope;
  }

  async create(account: Account, identity?: LinkedIdentity): Promise<string | undefined> {
    if ((await this.#rows.found(account.email)).length > 0) return undefined;
    try {
      return await this.#database.transaction(async (statements) => {
        const id = await this.#make(statements, account);
        if (identity === undefined || (await this.identities.linkIn(statements, id, identity))) return id;
        throw new IdentityTaken();
      });
    } catch (error) {
      if (error instanceof IdentityTaken) return undefined;
      if (!isTaken(error) || (await this.#rows.found(account.email)).length === 0) throw error;
      return undefined;
    }
  }

  /** In one transaction; one after another where that is refused, since others make the same at the same time. */
  async createAll(accounts: readonly Account[]): Promise<readonly (string | undefined)[]> {
    const taken = await this.#rows.foundAll(accounts.map(({ email }) => email));
    const made = new Map<Account, string | undefined>();
    // In one order everywhere, so that two processes do not wait for each other.
    const missing = accounts.filter(({ email }) => !taken.has(email)).sort((a, b) => (a.email < b.email ? -1 : 1));
    try {
      await this.#database.transaction(async (statements) => {
        for (const account of missing) made.set(account, await this.#make(statements, account));
      });
    } catch (error) {
      if (!isTaken(error) && !(error instanceof Failure && error.retriable)) throw error;
      for (const account of missing) made.set(account, await this.create(account));
    }
    return accounts.map((account) => made.get(account));
  }

  async byEmail(email: string): Promise<Account | undefined> {
    const found = (await this.#rows.found(email)).filter((row) => spelled(row) === email);
    // Of several that have one address, none but the one that is written so can be meant.
    const row = found.length === 1 ? found[0] : found.find((each) => each['email'] === email);
    if (row !== undefined) return this.#withBeside(row);
    // An address without an account takes as many round trips.
    await this.#database.rows(`${this.#selectBeside} WHERE ${own} AND id = :id`, { id: '' });
    return undefined;
  }

  async byId(id: string): Promise<Account | undefined> {
    const row = await this.#rows.row(this.#database, id);
    return row && this.#withBeside(row);
  }

  async list(after: string | undefined, limit: number): Promise<readonly Account[]> {
    const rows = await this.#rows.page(after, limit);
    if (rows.length === 0) return [];
    const query = `${this.#selectBeside} WHERE ${own} AND id IN (:ids)`;
    const beside = await this.#database.rows(query, { ids: rows.map((row) => String(row['id'])) });
    const byId = new Map(beside.map((row) => [String(row['id']), row]));
    return rows.map((row) => {
      const own = byId.get(String(row['id']));
      return this.#rows.accountOf(row, own !== undefined && isOfFormer(row, own) ? undefined : own);
    });
  }

  async update(id: string, change: AccountChange, at: number): Promise<boolean> {
    const { email } = change;
    if (change.roles !== undefined && !this.keepsRoles) throw this.#rows.without('roles');
    if (email !== undefined) {
      const others = (await this.#rows.found(email)).filter((row) => String(row['id']) !== id);
      if (others.length > 0) return false;
    }
    try {
      return await this.#database.transaction(async (statements) => {
        const row = await this.#rows.row(statements, id);
        if (row === undefined) return false;
        const set = this.#rows.changed(change, row, at);
        if (set.size > 0) await this.#save(statements, id, set);
        await this.#keepBeside(statements, id, change, 'update', notedOf(row, email));
        return true;
      });
    } catch (error) {
      if (email === undefined || !isTaken(error) || (await this.#rows.found(email)).length === 0) throw error;
      return false;
    }
  }

  setPassword(id: string, change: PasswordChange): Promise<boolean> {
    const { hash, changedAt, expected } = change;
    const set = new Map([
      ['password_hash', hash as unknown],
      ['updated_at', this.#rows.moment('updated_at', changedAt)],
      ...(this.keepsPasswordAge
        ? [['password_changed_at', this.#rows.moment('password_changed_at', changedAt)] as const]
        : []),
    ]);
    return this.#replaceHash(id, expected, set, (statements) => this.#belongings.addToHistory(statements, id, change));
  }

  rehash(id: string, { hash, expected }: Rehash): Promise<boolean> {
    return this.#replaceHash(id, expected, new Map([['password_hash', hash]]), (statements) =>
      this.#belongings.replaceInHistory(statements, id, expected, hash),
    );
  }

  passwordHistory(id: string, most: number): Promise<readonly string[]> {
    return this.#belongings.history(id, most);
  }

  delete(id: string): Promise<boolean> {
    return this.#database.transaction(async (statements) => {
      if ((await this.#rows.row(statements, id)) === undefined) return false;
      return this.#remove(statements, id);
    });
  }

  /** The row beside the account decides whether it or a removal comes first; where it does not say which account it is of, that is noted. */
  async noteSignIn(id: string, at: number): Promise<boolean> {
    const query = `UPDATE ${this.#side} SET last_login_at = :at WHERE ${own} AND id = :id AND account_at IS NOT NULL`;
    return (await this.#database.run(query, { id, at })) === 1 || this.update(id, { lastLoginAt: at }, at);
  }

  takeBack(id: string): Promise<boolean> {
    const query = `DELETE FROM ${this.#side} WHERE ${own} AND id = :id AND last_login_at IS NULL`;
    return this.#database.transaction(async (statements) => {
      if ((await statements.run(query, { id })) !== 1) return false;
      return this.#remove(statements, id);
    });
  }

  removeRemains(id: string): Promise<void> {
    return this.#database.transaction(async (statements) => {
      if ((await this.#rows.row(statements, id)) === undefined) await this.#belongings.removeAll(statements, id);
    });
  }

  device(id: string, fingerprint: string): Promise<Device | undefined> {
    return this.#belongings.device(id, fingerprint);
  }

  keepDevice(id: string, device: Device, most: number): Promise<void> {
    return this.#belongings.keepDevice(id, device, most);
  }

  position(id: string): Promise<Position | undefined> {
    return this.#belongings.position(id);
  }

  keepPosition(id: string, position: Position): Promise<void> {
    return this.#belongings.keepPosition(id, position);
  }

  signingKeys(): Promise<readonly SigningKey[]> {
    return this.#belongings.signingKeys();
  }

  addSigningKey(key: SigningKey, latest: string | undefined): Promise<boolean> {
    return this.#belongings.addSigningKey(key, latest);
  }

  deleteSigningKey(id: string): Promise<void> {
    return this.#belongings.deleteSigningKey(id);
  }

  get #rows(): AccountRows {
    if (this.#opened !== undefined) return this.#opened;
    throw new Failure('store_unavailable', 'the accounts cannot be reached: their database is not open');
  }

  get #selectBeside(): string {
    const metadata = this.#options.dialect.asText('metadata');
    return `SELECT id, ${metadata}, last_login_at, locked, mfa_enabled, email_verified, account_at, account_email FROM ${this.#side}`;
  }

  async #withBeside(row: Row): Promise<Account> {
    const id = String(row['id']);
    const [beside] = await this.#database.rows(`${this.#selectBeside} WHERE ${own} AND id = :id`, { id });
    const isLeft = beside !== undefined && isOfFormer(row, beside);
    if (isLeft) await this.#dropFormer(id);
    return this.#rows.accountOf(row, isLeft ? undefined : beside);
  }

  /** Removes what a former account has left to the one that has its id now. */
  async #dropFormer(id: string): Promise<void> {
    const isLeft = await this.#database.transaction(async (statements) => {
      const row = await this.#rows.row(statements, id);
      const [beside] = await statements.rows(`${this.#selectBeside} WHERE ${own} AND id = :id`, { id });
      if (row === undefined || beside === undefined || !isOfFormer(row, beside)) return false;
      // Of several at once one removes: what the new account has got meanwhile stays.
      const remove = `DELETE FROM ${this.#side} WHERE ${own} AND id = :id AND account_at = :noted`;
      if ((await statements.run(remove, { id, noted: beside['account_at'] })) !== 1) return false;
      await this.#belongings.removeAll(statements, id);
      return true;
    });
    if (isLeft)
      this.#options.log?.warn(
        'another program gave the id of a removed account to a new one: the factors, identities and devices of the former account were removed',
        { user_id: id },
      );
  }

  async #make(statements: Statements, account: Account): Promise<string> {
    const columns = this.#rows.rowOf(account);
    const given = newIdFor(this.#rows.table.columns.get('id') as KnownColumn, account.id);
    if (given !== undefined) columns.set('id', given);
    const id = await this.#insert(statements, columns, given);
    // A table that numbers its rows may use the number of an account again that others removed.
    if (given === undefined) await this.#belongings.removeAll(statements, id);
    await this.#keepBeside(statements, id, account, 'insert', notedAccount(account.createdAt, account.email));
    return id;
  }

  async #insert(
    { insert }: Statements,
    values: ReadonlyMap<string, unknown>,
    given: string | undefined,
  ): Promise<string> {
    const { table } = this.#rows;
    const fields = [...values.keys()];
    const columns = fields.map((field) => this.#rows.column(field)).join(', ');
    const query = `INSERT INTO ${table.quoted} (${columns}) VALUES (${fields.map((field) => `:${field}`).join(', ')})`;
    const { id } = await insert(query, Object.fromEntries(values), given === undefined ? 'required' : undefined);
    return given ?? String(id);
  }

  async #remove(statements: Statements, id: string): Promise<boolean> {
    await this.#belongings.removeAll(statements, id);
    const query = `DELETE FROM ${this.#rows.table.quoted} WHERE ${this.#rows.column('id')} = :id`;
    return (await statements.run(query, { id: this.#rows.id(id) })) === 1;
  }

  async #save({ run }: Statements, id: string, set: ReadonlyMap<string, unknown>): Promise<void> {
    const assigned = [...set.keys()].map((field) => `${this.#rows.column(field)} = :${field}`).join(', ');
    const query = `UPDATE ${this.#rows.table.quoted} SET ${assigned} WHERE ${this.#rows.column('id')} = :which`;
    await run(query, { ...Object.fromEntries(set), which: this.#rows.id(id) });
  }

  /** What has no column in the table of the accounts. */
  async #keepBeside(
    { run }: Statements,
    id: string,
    change: AccountChange,
    how: 'insert' | 'update',
    noted: NotedAccount,
  ): Promise<void> {
    const written = new Map([...besideOf(change), ...Object.entries(noted)]);
    const row: Params = {
      id,
      ...nothingBeside,
      ...Object.fromEntries(written),
    };
    if (how === 'insert') {
      await run(insertText(this.#side, ['scope', ...Object.keys(row)]), row);
      return;
    }
    // An account that others made has no row here yet.
    await run(this.#options.dialect.insertOnce(this.#side, ['scope', ...Object.keys(row)]), row);
    const assigned = [...written.keys()].map((name) => `${name} = :${name}`).join(', ');
    await run(`UPDATE ${this.#side} SET ${assigned} WHERE ${own} AND id = :id`, { ...Object.fromEntries(written), id });
  }

  #replaceHash(
    id: string,
    expected: string | undefined,
    set: ReadonlyMap<string, unknown>,
    then: (statements: Statements) => Promise<void>,
  ): Promise<boolean> {
    const hash = this.#rows.column('password_hash');
    const unchanged = expected === undefined ? `(${hash} IS NULL OR ${hash} = '')` : `${hash} = :expected`;
    const assigned = [...set.keys()].map((field) => `${this.#rows.column(field)} = :${field}`).join(', ');
    const query = `UPDATE ${this.#rows.table.quoted} SET ${assigned} WHERE ${this.#rows.column('id')} = :which AND ${unchanged}`;
    return this.#database.transaction(async (statements) => {
      const row = await this.#rows.row(statements, id);
      // The database may find hashes equal that differ in case.
      if (row === undefined || ((row['password_hash'] ?? '') || undefined) !== expected) return false;
      const params = {
        ...Object.fromEntries(set),
        which: this.#rows.id(id),
        ...(expected !== undefined && { expected }),
      };
      if ((await statements.run(query, params)) !== 1) return false;
      await then(statements);
      return true;
    });
  }
}

/** Ends the transaction that makes an account whose identity belongs to another one. */
class IdentityTaken extends Error {}

function besideOf(change: AccountChange): Map<string, unknown> {
  const { metadata, lastLoginAt, locked, mfaEnabled, emailVerified } = change;
  const written = new Map<string, unknown>();
  if (metadata !== undefined) written.set('metadata', JSON.stringify(metadata));
  if (lastLoginAt !== undefined) written.set('last_login_at', lastLoginAt);
  if (locked !== undefined) written.set('locked', Number(locked));
  if (mfaEnabled !== undefined) written.set('mfa_enabled', Number(mfaEnabled));
  if (emailVerified !== undefined) written.set('email_verified', Number(emailVerified));
  return written;
}

function isTaken(error: unknown): boolean {
  return error instanceof Failure && error.code === 'constraint_violated';
}
