import type { CallResult } from '../../foundation/contracts/call-result.ts';
import type { Connector } from '../../foundation/contracts/connector.ts';
import type { Schema, StatementRunner, Transactions } from '../../foundation/contracts/sql.ts';
import type { CallRequest, Target } from '../../foundation/contracts/target.ts';
import type { Bound } from './statement/bound.ts';
import type { Dialect } from './statement/dialect.ts';
import type { RowRun } from './statement/insert-form.ts';
import type { StatementKind } from './statement/kind.ts';
import type { Table, Tables } from './statement/table.ts';

/** How one execution wants its answer, and how long it may take. */
export interface Execution {
  /** What the statement does, which decides where it may run and whether it can be repeated. */
  readonly kind: StatementKind;
  /** Integers as bigint; see CallDescription. */
  readonly exact: boolean;
  /** Milliseconds, or undefined for the engine's own limits. */
  readonly timeout: number | undefined;
}

/** The caller that waits for a statement, and may abort it. */
export type Caller = Pick<CallRequest, 'signal' | 'cancelled'>;

/** A transaction that takes statements as the shared target writes them. */
export interface OpenTransaction extends StatementRunner {
  /** Whose it is: of the profiles of one connector, each has its own. */
  readonly owner: Engine;
  run(bound: Bound, execution: Execution): CallResult | Promise<CallResult>;
  /** Writes rows in few exchanges, and answers how many it wrote. Throws or rejects with a Failure. */
  write(run: RowRun): number | Promise<number>;
}

/** Runs a statement in the transaction that its request belongs to, or by itself. */
export function runOn(engine: Engine, bound: Bound, execution: Execution, request: CallRequest) {
  const { within } = request;
  return isOf(engine, within) ? within.run(bound, execution) : engine.run(bound, execution, request);
}

export function isOf(engine: Engine, transaction: StatementRunner | undefined): transaction is OpenTransaction {
  return transaction !== undefined && 'owner' in transaction && transaction.owner === engine;
}

/** What the shared target asks of an engine. One inside the process answers at once, a server with promises. */
export interface Engine {
  readonly connector: string;
  readonly dialect: Dialect;
  readonly tables: Tables<Table | undefined | Promise<Table | undefined>>;
  /** The tables that a message may name; undefined: any. */
  readonly nameable: readonly string[] | undefined;
  /** Runs one statement. Throws or rejects with a Failure. */
  run(bound: Bound, execution: Execution, caller: Caller): CallResult | Promise<CallResult>;
  /** Whether these rows are the same when they are written at once; absent: they always are. */
  takesRun?(run: RowRun): boolean;
}

/** What `svc migrate` and the start of the service ask of a database besides flows. The connector must be open. */
export interface SchemaAccess extends Schema {
  /** Whether a table (or view) exists; `schema.table` is understood. */
  tableExists(table: string): Promise<boolean>;
  /** Which of these names are not columns of the table; empty when the table does not exist. */
  missingColumns(table: string, names: readonly string[]): Promise<readonly string[]>;
  /** Why the key of a row that this statement makes cannot be determined; undefined when it can, or the statement makes no row. */
  keyProblem(query: string): Promise<string | undefined>;
  /** Why an upsert cannot find rows of the table by these columns; undefined when it can, or the table does not exist. */
  conflictProblem(table: string, names: readonly string[]): Promise<string | undefined>;
  /**
   * Runs `work` on one connection while no other process migrates this database. Resolves or rejects with `work`;
   * rejects with a Failure when the lock cannot be had in time.
   */
  exclusively<T>(work: (session: MigrationSession) => Promise<T>, signal: AbortSignal | undefined): Promise<T>;
}

/** One connection that runs whole scripts. */
export interface MigrationSession {
  tableExists(table: string): Promise<boolean>;
  query(text: string, values: readonly (string | null)[]): Promise<readonly Readonly<Record<string, unknown>>[]>;
  /**
   * Runs a script of any number of statements, each on its own unless a transaction is open. What it sets for the connection
   * ends with it.
   */
  script(sql: string): Promise<void>;
  /** Runs `work` in one transaction; a script that ended the transaction itself is a Failure. */
  transaction(work: () => Promise<void>): Promise<void>;
}

/** A relational database. */
export interface DatabaseConnector extends Connector {
  readonly dialect: Dialect;
  readonly target: Target & { readonly transactions: Transactions };
  readonly schema: SchemaAccess;
}

/** Distinguishes relational databases from other connectors. */
export function isDatabase(connector: Connector): connector is DatabaseConnector {
  return 'schema' in connector && connector.target?.transactions !== undefined;
}

/** What to say when a script ended the transaction that it ran in. */
export const endedItself =
  'the file ends the transaction that it runs in. Remove its BEGIN and COMMIT, or begin it with `-- svc: no-transaction`';
