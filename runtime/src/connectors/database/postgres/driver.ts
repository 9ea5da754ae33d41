import type { PoolClient, QueryConfig, QueryResult } from 'pg';
import type { Driver } from '../server/driver.ts';
import type { NodeOptions, ServerNode } from '../server/node.ts';
import type { Bound } from '../statement/dialect.ts';
import { answerOf, isStale } from './answer.ts';
import { postgresDialect } from './dialect.ts';
import { postgresErrors } from './errors.ts';
import { StatementNames } from './names.ts';
import { PostgresNode } from './node.ts';
import { postgresDefaults } from './spec.ts';
import { postgresTables } from './tables.ts';
import { ownArrays, ValueTypes } from './types.ts';

/** Keeps the names of prepared statements, and the array types of the database. */
export class PostgresDriver implements Driver<PoolClient, QueryConfig, QueryResult> {
  readonly dialect = postgresDialect;
  readonly defaults = postgresDefaults;
  readonly tables = postgresTables;
  readonly errors = postgresErrors;
  readonly begin = 'BEGIN';
  readonly answer = answerOf;
  private readonly names = new StatementNames();
  private readonly types = new ValueTypes();

  node(options: NodeOptions): PostgresNode {
    return new PostgresNode(options);
  }

  async prepare(primary: ServerNode<PoolClient, QueryConfig, QueryResult>, signal: AbortSignal): Promise<void> {
    const { rows } = await primary.query({ text: ownArrays, types: this.types.plain }, { signal });
    for (const { array, element } of rows) this.types.learn(array, element);
  }

  command(text: string): QueryConfig {
    return { text };
  }

  statement({ text, values, stable }: Bound, exact: boolean): QueryConfig {
    return {
      name: stable ? this.names.nameOf(text) : undefined,
      text,
      values: values as unknown[],
      types: exact ? this.types.exact : this.types.plain,
    };
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
