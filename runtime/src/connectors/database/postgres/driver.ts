import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Driver } from '../server/driver.ts';
import type { NodeOptions, ServerNode } from '../server/node.ts';
import type { Bound } from '../statement/bound.ts';
import { type RowRun, severalRows } from '../statement/insert-form.ts';
import type { StatementKind } from '../statement/kind.ts';
import { answerOf, isStale } from './answer.ts';
import { copyOf, isCopied } from './copy.ts';
import { postgresDialect } from './dialect.ts';
import { postgresErrors } from './errors.ts';
import { StatementNames } from './names.ts';
import { PostgresNode, type Statement } from './node.ts';
import { postgresDefaults } from './spec.ts';
import { postgresTables } from './tables.ts';
import { ownArrays, ValueTypes } from './types.ts';
import { unreadColumns } from './unread.ts';

/** Rows of an upsert in one statement: its text is parsed by the server each time the number differs. */
const upserted = { most: 250, bytes: 4 * 1024 * 1024 };

/** Sends a statement, and gives its rows. */
type Ask = (statement: QueryConfig) => Promise<QueryResult>;

/** Keeps the names of prepared statements, and the array types of the database. */
export class PostgresDriver implements Driver<PoolClient, Statement, QueryResult> {
  readonly dialect = postgresDialect;
  readonly defaults = postgresDefaults;
  readonly tables = postgresTables;
  readonly errors = postgresErrors;
  readonly begin = 'BEGIN';
  private readonly names = new StatementNames();
  private readonly types = new ValueTypes();

  node(options: NodeOptions): PostgresNode {
    return new PostgresNode(options);
  }

  async prepare(primary: ServerNode<PoolClient, Statement, QueryResult>, signal: AbortSignal): Promise<void> {
    await this.learn((statement) => primary.query(statement, { signal }));
  }

  /** Types that are made while the service runs are asked for when the first values of them come. */
  answer(result: QueryResult, kind: StatementKind, exact: boolean, ask: Ask): CallResult | Promise<CallResult> {
    const unread = unreadColumns(result);
    if (unread.length === 0) return answerOf(result, kind);
    return this.learn(ask).then(() => {
      for (const { name, dataTypeID } of unread) this.types.read(result.rows, name, dataTypeID, exact);
      return answerOf(result, kind);
    });
  }

  private async learn(ask: Ask): Promise<void> {
    const { rows } = await ask({ text: ownArrays, types: this.types.plain });
    for (const { array, element } of rows) this.types.learn(array, element);
  }

  command(text: string): Statement {
    return { text };
  }

  statement({ text, values, stable }: Bound, exact: boolean): Statement {
    return {
      name: stable ? this.names.nameOf(text) : undefined,
      text,
      values: values as unknown[],
      types: exact ? this.types.first.exact : this.types.first.plain,
    };
  }

  takesRun(run: RowRun): boolean {
    return isUpsert(run) || isCopied(run);
  }

  *several(run: RowRun): Iterable<{ readonly statement: Statement; readonly rows: number }> {
    if (!isUpsert(run)) return yield { statement: copyOf(run), rows: run.rows };
    for (const { text, values, rows } of severalRows(run, upserted))
      yield { statement: this.statement({ text, values, stable: false }, false), rows };
  }

  committed({ command }: QueryResult): boolean {
    return command !== 'ROLLBACK';
  }

  prepareAgain(error: unknown, { text }: Bound): boolean {
    if (!isStale(error)) return false;
    this.names.renew(text);
    return true;
  }
}

function isUpsert({ form }: RowRun): boolean {
  return form.conflict !== undefined;
}
