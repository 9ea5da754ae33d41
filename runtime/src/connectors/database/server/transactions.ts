import type { StatementRunner, Transactions } from '../../../foundation/contracts/sql.ts';
import type { Engine } from '../engine.ts';
import { TransactionQueries } from '../statement/keys.ts';
import type { Driver } from './driver.ts';
import type { ServerNode } from './node.ts';
import { ServerTransaction } from './transaction.ts';

/** Transactions on one connection each. */
export class ServerTransactions<Connection, Statement, Result> implements Transactions {
  private readonly owner: Engine;
  private readonly driver: Driver<Connection, Statement, Result>;
  private readonly primary: () => ServerNode<Connection, Statement, Result>;
  private readonly queries: TransactionQueries;

  constructor(
    owner: Engine,
    driver: Driver<Connection, Statement, Result>,
    primary: () => ServerNode<Connection, Statement, Result>,
  ) {
    this.owner = owner;
    this.driver = driver;
    this.primary = primary;
    this.queries = new TransactionQueries(owner.connector, driver.dialect);
  }

  /** Tables may have changed. */
  forgetTables(): void {
    this.queries.forget();
  }

  async run<T>(work: (statements: StatementRunner) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const node = this.primary();
    const { connection, release } = await node.acquire(signal);
    const transaction = new ServerTransaction(this.owner, this.driver, this.queries, node, connection, signal);
    let usable = true;
    try {
      await transaction.begin();
      const result = await work(transaction);
      await transaction.commit();
      return result;
    } catch (error) {
      usable = await transaction.rollback();
      throw error;
    } finally {
      release(!usable || transaction.changesSession);
    }
  }
}
