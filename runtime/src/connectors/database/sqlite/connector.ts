import type { DatabaseSync } from 'node:sqlite';
import type { Values } from '@svc/protocol/schema';
import type { KnownTarget } from '@svc/protocol/wire';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Factory } from '../../../foundation/contracts/connector.ts';
import type { StatementRunner } from '../../../foundation/contracts/sql.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { fired } from '../../../platform/net/fired.ts';
import { prepareCall } from '../call.ts';
import { endedFailure } from '../ended.ts';
import type { Caller, DatabaseConnector, Engine, Execution } from '../engine.ts';
import { prepareRows } from '../many.ts';
import type { Bound } from '../statement/bound.ts';
import { TransactionQueries } from '../statement/keys.ts';
import { type Table, Tables } from '../statement/table.ts';
import { sqliteDialect } from './dialect.ts';
import { DatabaseDisk } from './disk.ts';
import { replacedFailure, sqliteFailure } from './errors.ts';
import { type DatabaseFile, fileAt, locate, openDatabase } from './file.ts';
import { Gate } from './gate.ts';
import { isBusy, LockQueue } from './lock-queue.ts';
import { ReaderPool } from './reader-pool.ts';
import { SqliteSchema } from './schema.ts';
import type { sqlite } from './spec.ts';
import { type Prepared, Statements } from './statements.ts';
import { readKnown, readTable } from './tables.ts';
import { SqliteTransaction } from './transaction.ts';

/** How long a statement waits for a transaction of this process, or for a writer in another; milliseconds. */
const longestWait = 5000;

export const create: Factory<typeof sqlite> = (name, config, services) =>
  new SqliteConnector(name, config, services.directory);

type SqliteConfig = Values<(typeof sqlite)['config']>;

/** What is open: the connection of this process, and the processes that read what takes long. */
interface Connection {
  readonly database: DatabaseSync;
  readonly statements: Statements;
  /** Absent when the database is in memory. */
  readonly file: DatabaseFile | undefined;
  readonly readers: ReaderPool | undefined;
}

/**
 * One SQLite database on one connection. Statements are answered at once unless a transaction is open; reads that take
 * long are left to other processes.
 */
class SqliteConnector implements DatabaseConnector, Engine {
  readonly name: string;
  readonly dialect = sqliteDialect;
  readonly tables: Tables<Table | undefined>;
  readonly nameable: readonly string[] | undefined;
  readonly target: DatabaseConnector['target'];
  readonly schema: SqliteSchema;
  private readonly file: string;
  private readonly directory: string;
  private readonly disk: DatabaseDisk;
  private readonly gate: Gate;
  private readonly locked = new LockQueue(longestWait);
  private readonly queries: TransactionQueries;
  private readonly mostReaders: number;
  private readonly statementTimeout: number | undefined;
  private connection: Connection | undefined;

  constructor(name: string, config: SqliteConfig, directory: string) {
    const { database, tables, readers, statement_timeout } = config;
    this.name = name;
    this.file = database;
    this.mostReaders = database === ':memory:' ? 0 : readers;
    this.statementTimeout = statement_timeout === 0 ? undefined : statement_timeout;
    this.nameable = tables;
    this.directory = directory;
    this.queries = new TransactionQueries(name, sqliteDialect);
    this.disk = new DatabaseDisk(`database "${name}"`);
    this.gate = new Gate(name, longestWait);
    this.tables = new Tables((target) => this.translate(() => readTable(this.opened().database, target)));
    this.target = {
      prepare: (call) => prepareCall(this, call),
      prepareRows: (call) => prepareRows(this, call),
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
    const make = (): Connection => {
      const database = openDatabase(path);
      const file = fileAt(path);
      const readers = file && this.mostReaders > 0 ? new ReaderPool(this.name, file, this.mostReaders) : undefined;
      return { database, statements: new Statements(database, readers !== undefined), file, readers };
    };
    this.connection = await this.locked.run(() => this.translate(make), signal);
  }

  async close(cut?: AbortSignal): Promise<void> {
    if (this.connection === undefined) return;
    await Promise.race([this.quiet(), fired(cut)]);
    this.connection?.readers?.close(this.closed());
    this.connection?.database.close();
    this.connection = undefined;
    this.forget();
    this.locked.refuse(this.closed());
    this.gate.refuse(this.closed());
  }

  /** Resolves when nothing is under way. */
  private async quiet(): Promise<void> {
    while (!this.gate.isIdle || !this.locked.isEmpty)
      await Promise.all([this.gate.whenIdle(), this.locked.whenEmpty()]);
    await this.connection?.readers?.whenIdle();
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    // While a transaction is open the connection has just proven that it works.
    if (!this.gate.free) return this.disk.problem;
    if (signal.aborted) throw endedFailure(signal, 'asked');
    const { database, file } = this.opened();
    if (file !== undefined && fileAt(file.path)?.identity !== file.identity) throw replacedFailure(this.name);
    this.translate(() => database.exec('SELECT 1 FROM sqlite_schema LIMIT 1'));
    return this.disk.problem;
  }

  knownTargets(signal: AbortSignal): Promise<readonly KnownTarget[]> {
    return this.gate.pass(() => this.translate(() => readKnown(this.opened().database)), signal);
  }

  run(bound: Bound, execution: Execution, caller: Caller): CallResult | Promise<CallResult> {
    // Nothing asks for a lock while others wait for it. With write-ahead logging, reads need none.
    const isFree = this.gate.free && (execution.kind.reads || this.locked.isEmpty);
    const mayRun = isFree && !(caller.cancelled ?? caller.signal?.aborted);
    if (!mayRun && !execution.kind.reads) return this.wait(bound, execution, caller.signal);
    try {
      const prepared = this.prepared(bound, execution);
      if (prepared.cost?.isLong) return this.readElsewhere(bound, execution, caller);
      if (mayRun) return this.execute(bound, execution, prepared);
    } catch (error) {
      if (mayRun && !isBusy(error)) throw error;
    }
    return this.wait(bound, execution, caller.signal);
  }

  /** A reader sees everything that was committed before, and needs no turn: what is open here is not visible to it. */
  private async readElsewhere(bound: Bound, { exact, timeout }: Execution, { signal }: Caller): Promise<CallResult> {
    const { readers } = this.opened();
    try {
      return await (readers as ReaderPool).run(bound, { exact, timeout: timeout ?? this.statementTimeout, signal });
    } catch (error) {
      this.forgetTables();
      throw error;
    }
  }

  /** Runs the statement when neither a transaction of this process nor a writer in another is in its way. */
  private wait(bound: Bound, execution: Execution, caller: AbortSignal | undefined): Promise<CallResult> {
    const timeout = execution.timeout ?? this.statementTimeout;
    if (timeout === undefined) return this.waitUntil(bound, execution, caller);
    const late = new Failure('connector_busy', `database "${this.name}" was busy for ${timeout} ms`, {
      at: { connector: this.name },
    });
    const deadline = new AbortController();
    const timer = setTimeout(() => deadline.abort(late), timeout);
    const signal = caller === undefined ? deadline.signal : AbortSignal.any([caller, deadline.signal]);
    return this.waitUntil(bound, execution, signal).finally(() => clearTimeout(timer));
  }

  private waitUntil(bound: Bound, execution: Execution, signal: AbortSignal | undefined): Promise<CallResult> {
    const pass = () => this.gate.pass(() => this.execute(bound, execution), signal);
    if (!execution.kind.reads) return this.locked.run(pass, signal);
    return pass().catch((error: unknown) => {
      if (!isBusy(error)) throw error;
      return this.locked.run(pass, signal);
    });
  }

  private prepared(bound: Bound, { kind, exact }: Execution): Prepared {
    try {
      return this.opened().statements.prepared(bound, kind, exact);
    } catch (error) {
      throw this.refused(error, bound);
    }
  }

  private execute(bound: Bound, execution: Execution, prepared = this.prepared(bound, execution)): CallResult {
    const { kind, exact } = execution;
    try {
      const result = this.opened().statements.run(prepared, bound, kind, exact);
      if (kind.changesSchema) this.forgetTables();
      if (!kind.reads) this.disk.wrote();
      return result;
    } catch (error) {
      throw this.refused(error, bound);
    }
  }

  private refused(error: unknown, bound: Bound | undefined): Failure {
    // The table may have been changed by another process: it is read again before the next statement is written.
    if (!(error instanceof Failure)) this.forgetTables();
    this.disk.failed(error);
    return sqliteFailure(error, this.name, bound);
  }

  private async transaction<T>(
    work: (statements: StatementRunner) => Promise<T>,
    signal: AbortSignal | undefined,
  ): Promise<T> {
    const end = await this.locked.run(() => this.begin(signal), signal);
    const { database } = this.opened();
    const transaction = new SqliteTransaction({
      owner: this,
      database,
      queries: this.queries,
      execute: (bound, execution) => this.execute(bound, execution),
      executeMany: (text, values) => {
        try {
          return this.opened().statements.runMany(text, values);
        } catch (error) {
          throw this.refused(error, undefined);
        }
      },
      hold: () => this.pause(),
      signal,
    });
    try {
      const result = await work(transaction);
      if (signal?.aborted) throw endedFailure(signal, 'asked');
      if (this.connection?.database !== database) throw this.closed();
      this.translate(() => database.exec('COMMIT'));
      this.disk.wrote();
      return result;
    } catch (error) {
      // A full disk rolls back by itself.
      if (database.isOpen && database.isTransaction) database.exec('ROLLBACK');
      throw error;
    } finally {
      transaction.end();
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
    const resume = [this.gate.pause(), this.locked.pause()];
    return () => {
      for (const one of resume) one();
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

  private opened(): Connection {
    if (this.connection !== undefined) return this.connection;
    throw this.closed();
  }

  private closed(): Failure {
    return new Failure('connector_refused', `database "${this.name}" is not open`, { at: { connector: this.name } });
  }

  private translate<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      this.disk.failed(error);
      throw sqliteFailure(error, this.name);
    }
  }
}
