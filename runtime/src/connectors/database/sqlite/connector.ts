import { DatabaseSync } from 'node:sqlite';
import type { Values } from '@svc/protocol/schema';
import type { Factory } from '../../../contracts/connector.ts';
import type { StatementRunner } from '../../../contracts/sql.ts';
import type { CallResult } from '../../../contracts/target.ts';
import { Failure } from '../../../errors/failure.ts';
import { prepareCall } from '../call.ts';
import type { Caller, DatabaseConnector, Engine, Execution, OpenTransaction } from '../engine.ts';
import { checkSpelling } from '../statement/comparisons.ts';
import type { Bound } from '../statement/dialect.ts';
import { TransactionQueries } from '../statement/keys.ts';
import { type Table, Tables } from '../statement/table.ts';
import { sqliteDialect } from './dialect.ts';
import { sqliteFailure } from './errors.ts';
import { locate } from './file.ts';
import { cancelled, Gate } from './gate.ts';
import { isBusy, LockQueue } from './lock-queue.ts';
import { SqliteSchema } from './schema.ts';
import type { sqlite } from './spec.ts';
import { Statements } from './statements.ts';
import { readKey, readTable } from './tables.ts';

/** How long a statement waits for a transaction of this process, or for a writer in another; milliseconds. */
const longestWait = 5000;

export const create: Factory<typeof sqlite> = (name, config, services) =>
  new SqliteConnector(name, config, services.directory);

type SqliteConfig = Values<(typeof sqlite)['config']>;

/** One SQLite database on one connection. Statements are answered at once unless a transaction is open. */
class SqliteConnector implements DatabaseConnector, Engine {
  readonly name: string;
  readonly dialect = sqliteDialect;
  readonly tables: Tables<Table | undefined>;
  readonly nameable: readonly string[] | undefined;
  readonly target: DatabaseConnector['target'];
  readonly schema: SqliteSchema;
  private readonly file: string;
  private readonly directory: string;
  private readonly gate: Gate;
  private readonly locked = new LockQueue(longestWait);
  private readonly queries: TransactionQueries;
  private connection: { readonly database: DatabaseSync; readonly statements: Statements } | undefined;

  constructor(name: string, { database, tables }: SqliteConfig, directory: string) {
    this.name = name;
    this.file = database;
    this.nameable = tables;
    this.directory = directory;
    this.queries = new TransactionQueries(name, sqliteDialect);
    this.gate = new Gate(name, longestWait);
    this.tables = new Tables((target) => this.translate(() => readTable(this.opened().database, target)));
    this.target = {
      prepare: (call) => prepareCall(this, call),
      transactions: { run: (work, signal) => this.transaction(work, signal) },
    };
    this.schema = new SqliteSchema(
      name,
      this.gate,
      this.locked,
      () => this.opened().database,
      () => this.forget(),
    );
  }

  get connector(): string {
    return this.name;
  }

  async open(signal?: AbortSignal): Promise<void> {
    if (this.connection !== undefined) return;
    const path = locate(this.name, this.file, this.directory);
    const make = () => {
      const database = new DatabaseSync(path, {
        // A wait inside SQLite would stop everything else of the process.
        timeout: 0,
        enableForeignKeyConstraints: true,
        enableDoubleQuotedStringLiterals: false,
      });
      try {
        // Readers go on while one writes. Asking also proves that the file is a database.
        database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
      } catch (error) {
        database.close();
        throw error;
      }
      return { database, statements: new Statements(database) };
    };
    this.connection = await this.locked.run(() => this.translate(make), signal);
  }

  async close(): Promise<void> {
    if (this.connection === undefined) return;
    await this.gate.hold(async () => {
      this.connection?.database.close();
      this.connection = undefined;
      this.forget();
    }, undefined);
  }

  async check(signal: AbortSignal): Promise<void> {
    // While a transaction is open the connection has just proven that it works.
    if (!this.gate.free) return;
    if (signal.aborted) throw cancelled(signal);
    this.translate(() => this.opened().database.exec('SELECT 1 FROM sqlite_schema LIMIT 1'));
  }

  run(bound: Bound, execution: Execution, caller: Caller): CallResult | Promise<CallResult> {
    // Nothing asks for a lock while others wait for it. With write-ahead logging, reads need none.
    const mayRun = this.gate.free && (execution.kind.reads || this.locked.isEmpty);
    if (!mayRun || (caller.cancelled ?? caller.signal?.aborted)) return this.wait(bound, execution, caller.signal);
    try {
      return this.execute(bound, execution);
    } catch (error) {
      if (isBusy(error)) return this.wait(bound, execution, caller.signal);
      throw error;
    }
  }

  /** Runs the statement when neither a transaction of this process nor a writer in another is in its way. */
  private wait(bound: Bound, execution: Execution, signal: AbortSignal | undefined): Promise<CallResult> {
    const pass = () => this.gate.pass(() => this.execute(bound, execution), signal);
    if (!execution.kind.reads) return this.locked.run(pass, signal);
    return pass().catch((error: unknown) => {
      if (!isBusy(error)) throw error;
      return this.locked.run(pass, signal);
    });
  }

  private execute(bound: Bound, { kind, exact }: Execution): CallResult {
    try {
      const result = this.opened().statements.run(bound, kind, exact);
      if (kind.changesSchema) this.forgetTables();
      return result;
    } catch (error) {
      // The table may have been changed by another process: it is read again before the next statement is written.
      if (!(error instanceof Failure)) this.forgetTables();
      throw sqliteFailure(error, this.name, bound);
    }
  }

  private async transaction<T>(
    work: (statements: StatementRunner) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const end = await this.locked.run(() => this.begin(signal), signal);
    const { database } = this.opened();
    let ended = false;
    const runner: OpenTransaction = {
      owner: this,
      hold: () => this.pause(),
      run: (bound, execution) => {
        if (signal?.aborted) throw cancelled(signal);
        if (ended) throw new Failure('internal', 'a statement came after its transaction had ended');
        return this.execute(bound, execution);
      },
      execute: (source, params, key) => {
        if (signal?.aborted) throw cancelled(signal);
        if (ended) throw new Failure('internal', 'a statement came after its transaction had ended');
        const table = key === undefined ? undefined : this.queries.lacking(source);
        if (table !== undefined) {
          const known = this.translate(() => readKey(database, table));
          this.queries.learn(table, known);
        }
        const { query, answer } = this.queries.take(source, key);
        const lookup = (name: string | number) => (Object.hasOwn(params, name) ? params[name] : undefined);
        checkSpelling(
          query.comparisons,
          lookup,
          sqliteDialect,
          (target) => this.tables.peek(target) ?? this.tables.read(target),
        );
        const bound = query.bind(lookup);
        return answer(this.execute(bound, { kind: query.kind, exact: true, timeout: undefined }));
      },
    };
    try {
      const result = await work(runner);
      if (signal?.aborted) throw cancelled(signal);
      this.translate(() => database.exec('COMMIT'));
      return result;
    } catch (error) {
      // A full disk rolls back by itself.
      if (database.isTransaction) database.exec('ROLLBACK');
      throw error;
    } finally {
      ended = true;
      end();
    }
  }

  /** Begins a transaction alone on the connection; the returned function lets others have it. */
  private async begin(signal: AbortSignal | undefined): Promise<() => void> {
    const free = await this.gate.take(signal);
    try {
      this.translate(() => this.opened().database.exec('BEGIN IMMEDIATE'));
      return free;
    } catch (error) {
      free();
      throw error;
    }
  }

  private pause(): () => void {
    const goOn = [this.gate.pause(), this.locked.hold()];
    return () => {
      for (const one of goOn) one();
    };
  }

  private forgetTables(): void {
    this.tables.forget();
    this.queries.forget();
  }

  private forget(): void {
    this.forgetTables();
    this.connection?.statements.forget();
  }

  private opened(): { readonly database: DatabaseSync; readonly statements: Statements } {
    if (this.connection !== undefined) return this.connection;
    throw new Failure('connector_refused', `database "${this.name}" is not open`, { at: { connector: this.name } });
  }

  private translate<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteFailure(error, this.name);
    }
  }
}
