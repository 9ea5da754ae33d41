import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import { endedFailure } from '../ended.ts';
import type { Bound } from '../statement/bound.ts';
import { replacedFailure, sqliteFailure } from './errors.ts';
import type { DatabaseFile } from './file.ts';
import { Reader, type ReaderOutcome } from './reader.ts';
import { answerLimits } from './reader-messages.ts';

/** Statements that wait for a reader; further ones are refused. */
const mostWaiting = 1000;
/** How long a reader without work is kept; milliseconds. */
const idleTimeout = 60_000;

/** What one execution is given besides its statement. */
interface ReadOptions {
  readonly exact: boolean;
  /** Milliseconds until it is ended, with the wait for a reader; undefined: never. */
  readonly timeout: number | undefined;
  readonly signal: AbortSignal | undefined;
}

interface Job {
  readonly bound: Bound;
  readonly exact: boolean;
  readonly settle: (result: CallResult | Failure) => void;
  reader: Reader | undefined;
  attempts: number;
}

/** Processes that read one database file, started when there are statements for them. */
export class ReaderPool {
  private readonly connector: string;
  private readonly file: DatabaseFile;
  private readonly most: number;
  private readonly readers = new Set<Reader>();
  private readonly idle = new Map<Reader, NodeJS.Timeout>();
  private readonly jobs = new Set<Job>();
  private readonly waiting = new Set<Job>();
  private whenIdleDo: (() => void)[] = [];

  /** `most`: processes at once. */
  constructor(connector: string, file: DatabaseFile, most: number) {
    this.connector = connector;
    this.file = file;
    this.most = most;
  }

  /**
   * Runs a statement that reads. When its time is over or its signal fires, the process that runs it is ended. Rejects
   * with a Failure.
   */
  run(bound: Bound, { exact, timeout, signal }: ReadOptions): Promise<CallResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(endedFailure(signal, 'asked'));
      if (this.waiting.size >= mostWaiting) {
        return reject(this.failure('connector_busy', `too many statements wait for a reader of ${this.title}`));
      }
      const settle = (result: CallResult | Failure) => {
        if (!this.jobs.delete(job)) return;
        clearTimeout(timer);
        signal?.removeEventListener('abort', abort);
        this.waiting.delete(job);
        if (result instanceof Failure) {
          // A statement whose caller has left must not continue.
          if (job.reader !== undefined) this.end(job.reader);
          reject(result);
        } else resolve(result);
        // Not before those have ended whose time is over now as well.
        setImmediate(() => this.advance());
      };
      const job: Job = { bound, exact, settle, reader: undefined, attempts: 0 };
      const abort = () => settle(endedFailure(signal, job.reader === undefined ? 'asked' : 'answered'));
      const timer = timeout === undefined ? undefined : setTimeout(() => settle(this.late(job, timeout)), timeout);
      signal?.addEventListener('abort', abort, { once: true });
      this.jobs.add(job);
      this.waiting.add(job);
      this.advance();
    });
  }

  /** Resolves when no statement is under way. */
  whenIdle(): Promise<void> {
    if (this.jobs.size === 0) return Promise.resolve();
    return new Promise((resolve) => this.whenIdleDo.push(resolve));
  }

  /** Ends what is under way with this failure, and every process. */
  close(failure: Failure): void {
    for (const job of [...this.jobs]) job.settle(failure);
    for (const reader of [...this.readers]) this.end(reader);
  }

  /** Gives statements that wait to readers. */
  private advance(): void {
    if (this.jobs.size === 0) for (const resolve of this.whenIdleDo.splice(0)) resolve();
    for (const job of this.waiting) {
      const reader = this.idle.keys().next().value ?? (this.readers.size < this.most ? this.start() : undefined);
      if (reader === undefined) return;
      this.waiting.delete(job);
      void this.give(job, reader);
    }
  }

  private async give(job: Job, reader: Reader): Promise<void> {
    clearTimeout(this.idle.get(reader));
    this.idle.delete(reader);
    job.reader = reader;
    job.attempts++;
    const outcome = await reader.run({ text: job.bound.text, values: job.bound.values, exact: job.exact });
    job.reader = undefined;
    if (!this.jobs.has(job)) return this.advance();
    if ('ended' in outcome && !outcome.begun && job.attempts === 1) {
      // Reading changes nothing, so that another process can do it.
      this.waiting.add(job);
      return this.advance();
    }
    if (!('ended' in outcome)) this.rest(reader);
    job.settle('rows' in outcome ? { rows: outcome.rows } : this.explain(outcome, job.bound));
  }

  private start(): Reader {
    const reader = new Reader(this.file, (ended) => this.forget(ended));
    this.readers.add(reader);
    return reader;
  }

  /** Keeps a reader that has answered, for the next statement. */
  private rest(reader: Reader): void {
    if (!this.readers.has(reader)) return;
    const timer = setTimeout(() => this.end(reader), idleTimeout);
    this.idle.set(reader, timer.unref());
  }

  private end(reader: Reader): void {
    this.forget(reader);
    reader.end();
  }

  private forget(reader: Reader): void {
    this.readers.delete(reader);
    clearTimeout(this.idle.get(reader));
    this.idle.delete(reader);
  }

  private explain(outcome: Exclude<ReaderOutcome, { readonly rows: unknown }>, bound: Bound): Failure {
    if ('error' in outcome) return sqliteFailure(outcome.error, this.connector, bound);
    if ('ended' in outcome) {
      return this.failure('connector_failed', `the process that read ${this.title} ended (${outcome.ended})`);
    }
    if (outcome.problem === 'replaced') return replacedFailure(this.connector);
    const mebibytes = answerLimits.all / 1024 / 1024;
    const text = `the answer of ${this.title} is larger than ${mebibytes} MiB: ask for fewer rows with LIMIT`;
    return this.failure('connector_failed', text, false);
  }

  private late(job: Job, timeout: number): Failure {
    return job.reader === undefined
      ? this.failure('connector_busy', `every reader of ${this.title} was busy for ${timeout} ms`)
      : this.failure('connector_timeout', `${this.title} did not answer within ${timeout} ms; the statement was ended`);
  }

  private get title(): string {
    return `database "${this.connector}"`;
  }

  private failure(code: FailureCode, text: string, retriable?: boolean): Failure {
    return new Failure(code, text, { at: { connector: this.connector }, retriable });
  }
}
