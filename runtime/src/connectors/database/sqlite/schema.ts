import { closeSync, openSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { endedFailure } from '../ended.ts';
import { endedItself, type MigrationSession, type SchemaAccess } from '../engine.ts';
import { insertOf, keyUnknown } from '../statement/insert.ts';
import type { Table } from '../statement/table.ts';
import { conflictProblem } from '../statement/upsert.ts';
import { sqliteDialect } from './dialect.ts';
import { sqliteFailure } from './errors.ts';
import type { Gate } from './gate.ts';
import { isBusy, type LockQueue } from './lock-queue.ts';
import { readKey, readTable } from './tables.ts';

/** How long a migration waits for one that another process runs; milliseconds. */
const longestWait = 60_000;
/** How long a statement of a migration waits inside SQLite: nothing else is to be done meanwhile; milliseconds. */
const blockingWait = 5000;

/** Tables and migrations of one SQLite database. */
export class SqliteSchema implements SchemaAccess {
  private readonly name: string;
  private readonly gate: Gate;
  private readonly locked: LockQueue;
  private readonly database: () => DatabaseSync;
  private readonly changed: () => void;

  /** `changed` is called when tables may look different. */
  constructor(name: string, gate: Gate, locked: LockQueue, database: () => DatabaseSync, changed: () => void) {
    this.name = name;
    this.gate = gate;
    this.locked = locked;
    this.database = database;
    this.changed = changed;
  }

  async tableExists(table: string): Promise<boolean> {
    return this.translate(() => readTable(this.database(), table) !== undefined);
  }

  async describe(table: string): Promise<Table | undefined> {
    return this.translate(() => readTable(this.database(), table));
  }

  async missingColumns(table: string, names: readonly string[]): Promise<readonly string[]> {
    const found = this.translate(() => readTable(this.database(), table));
    return found === undefined ? [] : names.filter((name) => found.column(name) === undefined);
  }

  async keyProblem(query: string): Promise<string | undefined> {
    const insert = insertOf(query, sqliteDialect.lexis);
    if (insert === undefined || insert.returns) return undefined;
    const key = this.translate(() => readKey(this.database(), insert.table));
    return key === 'no such table' || key.column !== undefined ? undefined : keyUnknown(insert.table, sqliteDialect);
  }

  async conflictProblem(table: string, names: readonly string[]): Promise<string | undefined> {
    const found = this.translate(() => readTable(this.database(), table));
    return conflictProblem(found, names);
  }

  exclusively<T>(work: (session: MigrationSession) => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    return this.gate.hold(async () => {
      const database = this.database();
      const unlock = await this.lock(database.location(), signal);
      try {
        database.exec(`PRAGMA busy_timeout = ${blockingWait}`);
        return await work(this.session(database));
      } finally {
        database.exec('PRAGMA busy_timeout = 0');
        unlock();
        this.changed();
      }
    }, signal);
  }

  private session(database: DatabaseSync): MigrationSession {
    return {
      tableExists: (table) => this.tableExists(table),
      query: async (text, values) => this.translate(() => database.prepare(text).all(...(values as SQLInputValue[]))),
      script: async (sql) =>
        this.translate(() => {
          database.exec(sql);
          database.exec(restored);
        }),
      transaction: async (work) => {
        await this.locked.run(() => this.translate(() => database.exec('BEGIN IMMEDIATE')), undefined);
        try {
          await work();
          if (!database.isTransaction) throw new Failure('connector_failed', endedItself, { retriable: false });
          this.translate(() => database.exec('COMMIT'));
        } catch (error) {
          if (database.isTransaction) database.exec('ROLLBACK');
          throw error;
        }
      },
    };
  }

  /**
   * Locks a file beside the database: SQLite's own lock would end with each transaction, and the system frees this one
   * when the process dies. A database in memory has no other process.
   */
  private async lock(location: string | null, signal: AbortSignal | undefined): Promise<() => void> {
    if (location === null || location === '') return () => undefined;
    const path = `${location}-migrating`;
    for (const end = systemClock.elapsed() + longestWait; systemClock.elapsed() < end; await sleep(50)) {
      if (signal?.aborted) throw endedFailure(signal, 'asked');
      const lock = this.translate(() => tryLock(path));
      if (lock !== undefined) {
        return () => {
          rmSync(path, { force: true });
          lock.close();
        };
      }
    }
    throw new Failure('connector_timeout', `another process has been migrating database "${this.name}" for a minute`);
  }

  private translate<T>(work: () => T): T {
    try {
      return work();
    } catch (error) {
      throw sqliteFailure(error, this.name);
    }
  }
}

/** What a script may have set for the connection; a transaction keeps it from setting foreign keys. */
const restored = `PRAGMA foreign_keys = ON; PRAGMA ignore_check_constraints = OFF; PRAGMA recursive_triggers = OFF;
  PRAGMA legacy_alter_table = OFF; PRAGMA writable_schema = OFF; PRAGMA query_only = OFF`;

/** The held lock, or undefined when another process has it or removed the file meanwhile. */
function tryLock(path: string): DatabaseSync | undefined {
  closeSync(openSync(path, 'a', 0o600));
  const before = inode(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    if (before !== undefined && inode(path) === before) return lock;
  } catch (error) {
    if (!isBusy(error)) throw error;
  }
  lock.close();
  return undefined;
}

function inode(path: string): bigint | undefined {
  return statSync(path, { bigint: true, throwIfNoEntry: false })?.ino;
}
