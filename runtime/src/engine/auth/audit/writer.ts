import { randomBytes } from 'node:crypto';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { mask, namesCredential } from '../../../foundation/observe/mask.ts';
import { normalisedEmail } from '../accounts/email.ts';
import type { AuditRow, AuditTable } from './table.ts';
import type { AuditRecord, AuditTrail } from './trail.ts';

export interface AuditWriterOptions {
  readonly table: Pick<AuditTable, 'open' | 'insert'>;
  /** What is recorded; undefined or empty: everything. */
  readonly events: readonly string[] | undefined;
  /** What cannot be recorded is refused. */
  readonly required: boolean;
  readonly clock: Clock;
  readonly log: Log;
  /** Counts writes that failed and records that were lost. */
  readonly failed: () => void;
  /** Records that wait at most; further ones are lost. */
  readonly most?: number | undefined;
}

const mostWaiting = 10_000;
/** Characters of metadata, beyond which none is kept. */
const longestMetadata = 16_384;
/** Milliseconds between two tries while the database is unavailable, and after the last record until the stop gives up. */
const pause = 1_000;
const stopTime = 5_000;

/**
 * Writes records to a table. Required ones are written before their request is answered; others are written in their
 * order behind it, tried again while the database is unavailable, and never lost without a line in the log and a count.
 */
export class AuditWriter implements AuditTrail {
  readonly #options: AuditWriterOptions;
  readonly #most: number;
  readonly #events: ReadonlySet<string> | undefined;
  readonly #waiting: AuditRow[] = [];
  readonly #stopping = new AbortController();
  #writing: Promise<void> | undefined;
  #unavailable = false;
  /** Requests that began before a stop or a reload are still answered; their records have no later. */
  #isStopping = false;

  constructor(options: AuditWriterOptions) {
    const { events } = options;
    this.#options = options;
    this.#most = options.most ?? mostWaiting;
    this.#events = events === undefined || events.length === 0 ? undefined : new Set(events);
  }

  /** Records that wait to be written. */
  get waiting(): number {
    return this.#waiting.length;
  }

  /** Makes the table when it is missing. Rejects with a Failure when it cannot be used. */
  open(): Promise<void> {
    return this.#options.table.open();
  }

  async record(record: AuditRecord): Promise<void> {
    if (this.#events !== undefined && !this.#events.has(record.event)) return;
    const row = rowOf(record, this.#options.clock.now());
    if (this.#options.required) return this.#writeNow(row);
    if (this.#isStopping) return this.#writeLast(row);
    if (this.#waiting.length >= this.#most) return this.#lose([row], 'too many wait to be written');
    this.#waiting.push(row);
    this.#writing ??= this.#drain().finally(() => (this.#writing = undefined));
  }

  /** Writes what waits, for at most five seconds; what is left then is lost, and said. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    if (this.#writing === undefined) return;
    const enough = new AbortController();
    const late = this.#options.clock.sleep(stopTime, enough.signal).then(
      () => this.#stopping.abort(),
      () => undefined,
    );
    await Promise.race([this.#writing, late]);
    enough.abort();
    if (this.#waiting.length > 0) this.#lose(this.#waiting.splice(0), 'the service stopped before they were written');
  }

  async #writeNow(row: AuditRow): Promise<void> {
    try {
      await this.#options.table.insert(row);
    } catch (error) {
      const { log, failed } = this.#options;
      failed();
      log.error('an audit record cannot be written: its request is refused', {
        event: row.event,
        error: textOf(error),
      });
      throw new Failure('store_unavailable', 'the audit record cannot be written', { cause: error, retryAfter: pause });
    }
  }

  async #writeLast(row: AuditRow): Promise<void> {
    const error = this.#stopping.signal.aborted ? new Error('the service stopped') : await this.#write(row);
    if (error !== undefined) this.#lose([row], textOf(error));
  }

  async #drain(): Promise<void> {
    for (let row = this.#waiting[0]; row !== undefined; row = this.#waiting[0]) {
      const error = await this.#write(row);
      // A stop gave it up meanwhile.
      if (this.#waiting[0] !== row) return;
      if (error === undefined) this.#waiting.shift();
      else if (error instanceof Failure && !error.retriable) this.#lose(this.#waiting.splice(0, 1), error.message);
      else if (!(await this.#paused())) return;
    }
  }

  /** False when it was ended by a stop. */
  #paused(): Promise<boolean> {
    return this.#options.clock.sleep(pause, this.#stopping.signal).then(
      () => true,
      () => false,
    );
  }

  /** Why it failed; undefined when it was written. */
  async #write(row: AuditRow): Promise<unknown> {
    const { table, log, failed } = this.#options;
    try {
      await table.insert(row);
      if (this.#unavailable) log.info('audit records are written again', { waiting: this.#waiting.length });
      this.#unavailable = false;
      return undefined;
    } catch (error) {
      failed();
      if (!this.#unavailable) log.error('audit records cannot be written: they wait', { error: textOf(error) });
      this.#unavailable = true;
      return error;
    }
  }

  #lose(rows: readonly AuditRow[], why: string): void {
    const { log, failed } = this.#options;
    for (const { event, user_id, success } of rows) {
      failed();
      log.error('an audit record is lost', { event, user_id, success, error: why });
    }
  }
}

/**
 * What is kept of a record. A text in place of an address may be a password that was typed into the wrong field, so that
 * addresses alone are kept; fields of metadata that are named like credentials are masked.
 */
function rowOf({ event, user_id, email, client, success, reason, metadata }: AuditRecord, now: number): AuditRow {
  const hidden = JSON.stringify(metadata, (name, value: unknown) => (namesCredential(name) ? mask : value));
  return {
    id: randomBytes(16).toString('hex'),
    event,
    user_id,
    email: email !== undefined && normalisedEmail(email) === email ? email : undefined,
    ip: client?.ip,
    user_agent: client === undefined || client.userAgent === '' ? undefined : client.userAgent,
    success,
    error_reason: reason,
    metadata: hidden.length > longestMetadata ? '{}' : hidden,
    created_at: now,
  };
}

function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
