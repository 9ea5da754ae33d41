import type { RuntimeTables } from '../../../../foundation/contracts/sql.ts';
import { own, type SideTables } from './side-tables.ts';
import type { AccountDatabase, Params, Statements } from './statements.ts';

/** What an account that others made has beside its table, before anything is kept there. */
export const nothingBeside = { metadata: '{}', last_login_at: null, locked: 0, mfa_enabled: 0, email_verified: 0 };

/** Lets one change of what an account has happen at a time, in all processes. */
export class AccountLock {
  readonly #database: AccountDatabase;
  readonly #table: string;
  readonly #insert: string;

  constructor(database: AccountDatabase, dialect: RuntimeTables, { accounts }: SideTables) {
    this.#database = database;
    this.#table = accounts;
    this.#insert = dialect.insertOnce(accounts, ['scope', 'id', ...Object.keys(nothingBeside)]);
  }

  /** Runs a transaction while no other one of this account runs; it begins with what those before have written. */
  async run<T>(accountId: string, work: (statements: Statements) => Promise<T>): Promise<T> {
    const row: Params = { id: accountId, ...nothingBeside };
    // An account that others made has no row here yet. On its own: within the transaction, two who insert it at the same time would
    // each wait for the other.
    await this.#database.run(this.#insert, row);
    return this.#database.transaction(async (statements) => {
      await statements.run(`UPDATE ${this.#table} SET mfa_enabled = mfa_enabled WHERE ${own} AND id = :id`, {
        id: accountId,
      });
      return work(statements);
    });
  }
}
