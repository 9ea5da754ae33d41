import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { endedFailure } from '../ended.ts';
import { endedItself, type MigrationSession, type SchemaAccess } from '../engine.ts';
import { insertOf, keyUnknown } from '../statement/insert.ts';
import type { Table } from '../statement/table.ts';
import { conflictProblem } from '../statement/upsert.ts';
import type { Driver } from './driver.ts';
import { serverFailure } from './failure.ts';
import type { MigrationConnection } from './migration.ts';
import type { ServerNode } from './node.ts';
import type { Ask } from './tables.ts';

/** How long a migration waits for one that another process runs; milliseconds. */
const longestWait = 60_000;
/** Milliseconds between two attempts to get the lock. */
const pause = 50;

type SchemaDriver = Pick<Driver<unknown, never, never>, 'dialect' | 'tables' | 'errors' | 'begin'>;
type SchemaNode = Pick<ServerNode<unknown, never, unknown>, 'migrate'>;

/** Tables and migrations of one database. */
export class ServerSchema implements SchemaAccess {
  private readonly name: string;
  private readonly driver: SchemaDriver;
  private readonly primary: () => SchemaNode;
  private readonly ask: Ask;
  private readonly changed: () => void;

  /** `ask` asks over any connection; `changed` is called when tables may look different. */
  constructor(name: string, driver: SchemaDriver, primary: () => SchemaNode, ask: Ask, changed: () => void) {
    this.name = name;
    this.driver = driver;
    this.primary = primary;
    this.ask = ask;
    this.changed = changed;
  }

  tableExists(table: string): Promise<boolean> {
    return this.driver.tables.exists(this.ask, table);
  }

  describe(table: string): Promise<Table | undefined> {
    return this.driver.tables.read(this.ask, table);
  }

  async missingColumns(table: string, names: readonly string[]): Promise<readonly string[]> {
    const found = await this.driver.tables.read(this.ask, table);
    return found === undefined ? [] : names.filter((name) => found.column(name) === undefined);
  }

  async keyProblem(query: string): Promise<string | undefined> {
    const { dialect, tables } = this.driver;
    const insert = insertOf(query, dialect.lexis);
    if (insert === undefined || insert.returns) return undefined;
    const key = await tables.key(this.ask, insert.table);
    return key === 'no such table' || key.column !== undefined ? undefined : keyUnknown(insert.table, dialect);
  }

  async conflictProblem(table: string, names: readonly string[]): Promise<string | undefined> {
    return conflictProblem(await this.driver.tables.read(this.ask, table), names);
  }

  async exclusively<T>(work: (session: MigrationSession) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    const connection = await this.primary().migrate(signal);
    try {
      await this.lock(connection, signal);
      return await work(this.session(connection));
    } finally {
      connection.end();
      this.changed();
    }
  }

  private async lock(connection: MigrationConnection, signal: AbortSignal | undefined): Promise<void> {
    for (const end = systemClock.elapsed() + longestWait; systemClock.elapsed() < end; await sleep(pause)) {
      if (signal?.aborted) throw endedFailure(signal, 'answered');
      if (await this.translate(connection.lock())) return;
    }
    throw new Failure('connector_timeout', `another process has been migrating database "${this.name}" for a minute`);
  }

  private session(connection: MigrationConnection): MigrationSession {
    const ask: Ask = (text, values) => this.translate(connection.query(text, values));
    const command = (text: string) => this.translate(connection.command(text));
    return {
      tableExists: (table) => this.driver.tables.exists(ask, table),
      query: ask,
      script: async (sql) => {
        await this.translate(connection.script(sql));
        await this.translate(connection.restore());
      },
      transaction: async (work) => {
        await command(this.driver.begin);
        try {
          await work();
          if (!connection.inTransaction) throw new Failure('connector_failed', endedItself, { retriable: false });
          await command('COMMIT');
        } catch (error) {
          await connection.command('ROLLBACK').catch(() => undefined);
          throw error;
        }
      },
    };
  }

  private async translate<T>(promise: Promise<T>): Promise<T> {
    try {
      return await promise;
    } catch (error) {
      throw serverFailure(error, this.name, this.driver.errors, { doing: 'statement', lost: 'repeatable' });
    }
  }
}
