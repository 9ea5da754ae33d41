import { createHash } from 'node:crypto';
import type { RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import type { IdentityStore, LinkedIdentity } from '../identities.ts';
import { AccountLock } from './account-lock.ts';
import { identityColumns, own, type SideTables } from './side-tables.ts';
import type { AccountDatabase, Row, Statements } from './statements.ts';

/** Linked identities in a table beside that of the accounts. */
export class RelationalIdentityStore implements IdentityStore {
  readonly #database: AccountDatabase;
  readonly #dialect: RuntimeTables;
  readonly #tables: SideTables;
  readonly #lock: AccountLock;
  readonly #dropFormer: (accountId: string) => Promise<void>;

  /** `dropFormer` removes what a former account with this id has left. */
  constructor(
    database: AccountDatabase,
    dialect: RuntimeTables,
    tables: SideTables,
    dropFormer: (accountId: string) => Promise<void>,
  ) {
    this.#database = database;
    this.#dialect = dialect;
    this.#tables = tables;
    this.#lock = new AccountLock(database, dialect, tables);
    this.#dropFormer = dropFormer;
  }

  async find(issuer: string, subject: string): Promise<{ accountId: string; identity: LinkedIdentity } | undefined> {
    const query = `SELECT ${identityColumns} FROM ${this.#tables.identities} WHERE ${own} AND digest = :digest`;
    const params = { digest: digestOf(issuer, subject) };
    const [found] = await this.#database.rows(query, params);
    if (found === undefined) return undefined;
    await this.#dropFormer(String(found['user_id']));
    const [row] = await this.#database.rows(query, params);
    return row && { accountId: String(row['user_id']), identity: identityOf(row) };
  }

  async of(accountId: string): Promise<readonly LinkedIdentity[]> {
    const query = `SELECT ${identityColumns} FROM ${this.#tables.identities} WHERE ${own} AND user_id = :accountId ORDER BY linked_at, digest`;
    return (await this.#database.rows(query, { accountId })).map(identityOf);
  }

  link(accountId: string, identity: LinkedIdentity): Promise<boolean> {
    return this.linkIn(this.#database, accountId, identity);
  }

  /** Links within a transaction. */
  async linkIn(statements: Pick<Statements, 'run'>, accountId: string, identity: LinkedIdentity): Promise<boolean> {
    const { provider, issuer, subject, email, name, picture, linkedAt, updatedAt } = identity;
    const digest = digestOf(issuer, subject);
    const row = { digest, user_id: accountId, provider, issuer, subject, email, name, picture };
    const whole = { ...row, linked_at: linkedAt, updated_at: updatedAt };
    const insert = this.#dialect.insertOnce(this.#tables.identities, ['scope', ...Object.keys(whole)]);
    return (await statements.run(insert, whole)) === 1;
  }

  update(
    issuer: string,
    subject: string,
    { email, name, picture, updatedAt }: Pick<LinkedIdentity, 'email' | 'name' | 'picture' | 'updatedAt'>,
  ): Promise<boolean> {
    const { identities } = this.#tables;
    const digest = digestOf(issuer, subject);
    const set = 'email = :email, name = :name, picture = :picture, updated_at = :updatedAt';
    return this.#database.transaction(async ({ run, rows }) => {
      // An update to the same values is counted as no change by some databases.
      await run(`UPDATE ${identities} SET ${set} WHERE ${own} AND digest = :digest`, {
        digest,
        email,
        name,
        picture,
        updatedAt,
      });
      return (
        (await rows(`SELECT digest FROM ${identities} WHERE ${own} AND digest = :digest`, { digest })).length === 1
      );
    });
  }

  async remove(accountId: string, { issuer, subject }: Pick<LinkedIdentity, 'issuer' | 'subject'>): Promise<boolean> {
    const query = `DELETE FROM ${this.#tables.identities} WHERE ${own} AND digest = :digest AND user_id = :accountId`;
    return (await this.#database.run(query, { digest: digestOf(issuer, subject), accountId })) === 1;
  }

  unlink(accountId: string, provider: string, keepsOne: boolean): Promise<number> {
    const { identities } = this.#tables;
    // Two at the same time do not both leave the other one.
    return this.#lock.run(accountId, async ({ run, rows }) => {
      const query = `SELECT provider FROM ${identities} WHERE ${own} AND user_id = :accountId`;
      const held = (await rows(query, { accountId })).map((row) => String(row['provider']));
      if (keepsOne && held.every((each) => each === provider)) return 0;
      const remove = `DELETE FROM ${identities} WHERE ${own} AND user_id = :accountId AND provider = :provider`;
      return run(remove, { accountId, provider });
    });
  }
}

/** Issuers and subjects may be longer than what a database indexes, and differ in case alone. */
function digestOf(issuer: string, subject: string): string {
  return createHash('sha256')
    .update(JSON.stringify([issuer, subject]))
    .digest('hex');
}

function identityOf(row: Row): LinkedIdentity {
  const text = (name: string) => String(row[name]);
  return {
    provider: text('provider'),
    issuer: text('issuer'),
    subject: text('subject'),
    email: text('email'),
    name: text('name'),
    picture: text('picture'),
    linkedAt: Number(row['linked_at']),
    updatedAt: Number(row['updated_at']),
  };
}
