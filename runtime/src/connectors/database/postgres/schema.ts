import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { Failure } from '../../../errors/failure.ts';
import { endedItself, type MigrationSession, type SchemaAccess } from '../engine.ts';
import { insertOf, keyUnknown } from '../statement/insert.ts';
import { scan } from '../statement/scanner.ts';
import { postgresFailure } from './errors.ts';
import { abortFailure, type PostgresNode } from './node.ts';
import { type Ask, readKey, readTable, regclasses } from './tables.ts';

/** How long a migration waits for one that another process runs; milliseconds. */
const longestWait = 60_000;
/** The key of the advisory lock: "svc" and a number of its own. */
const lockKey = [0x737663, 1];

/** Tables and migrations of one PostgreSQL database. */
export class PostgresSchema implements SchemaAccess {
  private readonly name: string;
  private readonly primary: () => PostgresNode;
  private readonly changed: () => void;

  /** `changed` is told when tables may look different. */
  constructor(name: string, primary: () => PostgresNode, changed: () => void) {
    this.name = name;
    this.primary = primary;
    this.changed = changed;
  }

  tableExists(table: string): Promise<boolean> {
    return this.find(table, (text, values) => this.primary().query({ text, values }, {}));
  }

  async missingColumns(table: string, names: readonly string[]): Promise<readonly string[]> {
    const found = await readTable(this.ask, table);
    return found === undefined ? [] : names.filter((name) => found.column(name) === undefined);
  }

  async keyProblem(query: string): Promise<string | undefined> {
    const insert = insertOf(query, 'postgres');
    if (insert === undefined || insert.returns) return undefined;
    const key = await readKey(this.ask, insert.table);
    return key === 'no such table' || key.column !== undefined ? undefined : keyUnknown(insert.table);
  }

  async exclusively<T>(work: (session: MigrationSession) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const { client, release } = await this.primary().acquire(signal);
    let clean = false;
    try {
      await this.lock(client, signal);
      const result = await work(this.session(client));
      await this.translate(client.query('SELECT pg_advisory_unlock($1, $2)', lockKey));
      clean = true;
      return result;
    } finally {
      // A connection that is not clean is closed, which frees the lock as well.
      release(!clean);
      this.changed();
    }
  }

  private readonly ask: Ask = async (text, values) =>
    (await this.translate(this.primary().query({ text, values: [...values] }, {}))).rows;

  private async find(
    table: string,
    ask: (text: string, values: string[]) => Promise<pg.QueryResult>,
  ): Promise<boolean> {
    const values = regclasses(table);
    if (values === undefined) return false;
    const text = 'SELECT coalesce(to_regclass($1), to_regclass($2)) IS NOT NULL AS found';
    return (await this.translate(ask(text, values))).rows[0]?.found === true;
  }

  private async lock(client: pg.PoolClient, signal: AbortSignal | undefined): Promise<void> {
    const text = 'SELECT pg_try_advisory_lock($1, $2) AS held';
    for (const end = performance.now() + longestWait; performance.now() < end; await sleep(50)) {
      if (signal?.aborted) throw abortFailure(signal);
      const { rows } = await this.translate(client.query(text, lockKey));
      if (rows[0]?.held === true) return;
    }
    throw new Failure('connector_timeout', `another process has been migrating database "${this.name}" for a minute`);
  }

  private session(client: pg.PoolClient): MigrationSession {
    const inTransaction = () =>
      (client as unknown as { getTransactionStatus(): string }).getTransactionStatus() !== 'I';
    const run = (text: string) => this.translate(client.query(text));
    return {
      placeholder: (number) => `$${number}`,
      tableExists: (table) => this.find(table, (text, values) => client.query(text, values)),
      query: async (text, values) => (await this.translate(client.query(text, [...values]))).rows,
      script: async (sql) => {
        if (inTransaction()) return void (await run(sql));
        // Several statements in one message would be one transaction.
        for (const statement of scan(sql, 'postgres').statements) await run(statement.text);
      },
      transaction: async (work) => {
        await run('BEGIN');
        try {
          await work();
          if (!inTransaction()) throw new Failure('connector_failed', endedItself, { retriable: false });
          await run('COMMIT');
        } catch (error) {
          await client.query('ROLLBACK').catch(() => undefined);
          throw error;
        }
      },
    };
  }

  private async translate<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      throw postgresFailure(error, this.name, { doing: 'statement', lost: 'repeatable' });
    }
  }
}
