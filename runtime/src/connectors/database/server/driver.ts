import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Bound } from '../statement/bound.ts';
import type { Dialect } from '../statement/dialect.ts';
import type { RowRun } from '../statement/insert-form.ts';
import type { StatementKind } from '../statement/kind.ts';
import type { ErrorReader } from './failure.ts';
import type { NodeOptions, ServerNode } from './node.ts';
import type { ServerDefaults } from './spec.ts';
import type { TableReader } from './tables.ts';

/** The errors of a server that change what is known of it. */
interface StateErrors extends ErrorReader {
  /** What is known of tables no longer holds. */
  tableChanged(error: unknown): boolean;
  /** The whole transaction was undone with the statement. */
  undone(error: unknown): boolean;
}

/**
 * In what one kind of server differs from others, beside its Dialect. There is one for each connector, so that it can
 * keep what it learns of its database. `Statement` and `Result` are those of the client library.
 */
export interface Driver<Connection, Statement, Result> {
  readonly dialect: Dialect;
  readonly defaults: ServerDefaults;
  readonly tables: TableReader;
  readonly errors: StateErrors;
  /** The statement that begins a transaction. */
  readonly begin: string;
  /** The connections to one server, none of which is open yet. */
  node(options: NodeOptions): ServerNode<Connection, Statement, Result>;
  /** Connects to the primary for the first time, and learns of the database what it needs. */
  prepare(primary: ServerNode<Connection, Statement, Result>, signal: AbortSignal): Promise<void>;
  /** A statement without parameters or rows, as the library takes it. */
  command(text: string): Statement;
  /** A statement as the library takes it; `exact`: integers are read as bigint. */
  statement(bound: Bound, exact: boolean): Statement;
  /** Whether rows become the same when they are written by `several` as each would alone. */
  takesRun(run: RowRun): boolean;
  /** Statements that write rows, many with each: `rows` are how many. Throws a Failure. */
  several(run: RowRun): Iterable<{ readonly statement: Statement; readonly rows: number }>;
  /** What the statement did, or its rows. `ask` sends a statement that the driver needs to read them. */
  answer(
    result: Result,
    kind: StatementKind,
    exact: boolean,
    ask: (statement: Statement) => Promise<Result>,
  ): CallResult | Promise<CallResult>;
  /** Whether this result of a COMMIT says that the transaction was committed. */
  committed(result: Result): boolean;
  /**
   * Whether the connection had another statement prepared than the one that is meant, so that nothing was executed. The
   * statement is then prepared again when it is sent the next time.
   */
  prepareAgain(error: unknown, bound: Bound): boolean;
}
