import type { Settlement } from '../../../intake/driver.ts';
import { Change, digestOf, type RowChange } from './change.ts';
import type { Decoded, DecodedChange, Decoder, TableName } from './decoder.ts';
import { Feedback } from './feedback.ts';
import { type Commit, Progress, type Transaction } from './progress.ts';
import { ChangeQueue, type Rows } from './queue.ts';
import type { TableRows } from './snapshot.ts';
import { type Position, readFrame } from './wire.ts';

export interface StreamOptions {
  readonly decoder: Decoder;
  /** Where the stream begins. */
  readonly confirmed: Position;
  /** Distinguishes the connections of a connector. */
  readonly life: number;
  readonly order: 'row' | 'commit';
  /** Whether changes of a table are taken. */
  readonly takes: (schema: string, table: string) => boolean;
  /** A table was emptied, of which no flow is notified. */
  readonly emptied: (table: TableName) => void;
  /** The changes of a transaction, and everything before it, are settled. */
  readonly handled: (commit: Commit) => void;
  /** Keeps a change that is given up; resolves when it is kept. Absent: it is dropped. */
  readonly bury?: ((change: RowChange, reason: string) => Promise<void>) | undefined;
  /** The prefix of messages that ask for rows. */
  readonly requestPrefix: string;
  /** Asks for the types that the database has now. */
  readonly learn: () => Promise<void>;
  /** Reads the rows of tables; none: of all. `end` frees what that needs. */
  readonly rowsOf: (tables: readonly string[]) => SnapshotReader;
  readonly send: (status: Buffer) => void;
  /** Nothing is read from the connection for now. */
  readonly hold: (isHeld: boolean) => void;
  readonly failed: (error: unknown) => void;
}

export interface SnapshotReader {
  next(most: number): Promise<TableRows | undefined>;
  end(): void;
}

/** A transaction whose changes come now. */
interface Current {
  readonly id: string;
  readonly time: string;
  readonly transaction: Transaction;
  /** Changes of it so far. */
  count: number;
}

/** The changes that come over one connection: read, delivered in their order, and confirmed when they are settled. */
export class ChangeStream {
  readonly feedback: Feedback;
  readonly queue: ChangeQueue;
  readonly #options: StreamOptions;
  readonly #progress: Progress;
  #current: Current | undefined;
  #sequence = 0;
  #isFull = false;
  /** What came behind a table with types that are being asked for, in its order; undefined: none is. */
  #behind: Buffer[] | undefined;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#progress = new Progress(options.confirmed, options.handled);
    this.feedback = new Feedback(this.#progress, options.send);
    this.queue = new ChangeQueue({
      full: (isFull) => {
        this.#isFull = isFull;
        options.hold(this.isHeld);
      },
      failed: options.failed,
    });
  }

  /** Whether the connection is not read, so that no answer of the server is heard. */
  get isHeld(): boolean {
    return this.#isFull || this.#behind !== undefined;
  }

  /** Takes what the server sent. Throws for what cannot be read. */
  take(chunk: Buffer): void {
    if (this.#behind !== undefined) {
      // The library uses the memory again.
      this.#behind.push(Buffer.from(chunk));
      return;
    }
    const frame = readFrame(chunk);
    if (frame.kind === 'keepalive') {
      this.#progress.idle(frame.end);
      this.feedback.heard();
      if (frame.asks) this.feedback.confirm();
      else this.feedback.schedule();
    } else if (frame.kind === 'data') {
      const decoded = this.#options.decoder.decode(frame.message);
      if (decoded?.kind === 'types') void this.#learn(decoded.known).catch(this.#options.failed);
      else if (decoded !== undefined) this.#handle(decoded);
    }
  }

  end(): void {
    this.queue.end();
    this.feedback.end();
  }

  /** Reads nothing until types are known: values of them come next. */
  async #learn(known: () => void): Promise<void> {
    this.#behind = [];
    this.#options.hold(true);
    await this.#options.learn();
    known();
    const behind = this.#behind;
    this.#behind = undefined;
    for (const chunk of behind) this.take(chunk);
    this.#options.hold(this.isHeld);
  }

  #handle(decoded: Exclude<Decoded, { readonly kind: 'types' }>): void {
    if (decoded.kind === 'begin') {
      const { id, time } = decoded;
      this.#current = { id, time, transaction: this.#progress.begin(), count: 0 };
      return;
    }
    const current = this.#current;
    if (current === undefined) throw new Error('the server sent a change outside of a transaction');
    if (decoded.kind === 'commit') {
      this.#current = undefined;
      this.#progress.committed(current.transaction, decoded.commit);
      this.feedback.schedule();
    } else if (decoded.kind === 'change') this.#add(decoded.change, current);
    else if (decoded.kind === 'truncate') this.#truncate(decoded.tables, current);
    else this.#request(decoded, current);
  }

  #add(decoded: DecodedChange, current: Current): void {
    current.count++;
    const { row, isAlone, ...change } = decoded;
    if (!this.#options.takes(change.schema, change.table)) return;
    const { id, time, transaction } = current;
    const { life, order } = this.#options;
    // One that comes again waits for none of an earlier connection.
    const rowOrder = `${life}/${change.schema}.${change.table}/${row ?? ''}`;
    this.#push(
      { ...change, timestamp: time, id: `${id}:${current.count}` },
      { transaction, sequence: this.#sequence++, order: order === 'commit' ? String(life) : rowOrder, isAlone },
    );
    this.queue.pump();
  }

  #truncate(tables: readonly TableName[], current: Current): void {
    current.count += tables.length;
    for (const name of tables) if (this.#options.takes(name.schema, name.table)) this.#options.emptied(name);
  }

  #push(change: RowChange, place: Change['place']): void {
    this.queue.add(this.#made(change, place));
  }

  #made(change: RowChange, place: Change['place']): Change {
    place.transaction.open++;
    const { bury, failed } = this.#options;
    const settle = (settled: Change, settlement: Settlement) => this.#settled(settled, settlement);
    if (bury === undefined) return new Change(change, place, settle);
    // What cannot be kept is not done: the connection is made again, and the change comes again.
    return new Change(change, place, settle, (reason) =>
      bury(change, reason).catch((error: unknown) => {
        failed(new Error(`a change cannot be written into the dead letters: ${(error as Error).message}`));
        throw error;
      }),
    );
  }

  #settled(change: Change, settlement: Settlement): void {
    if (settlement.kind !== 'requeue') {
      this.#progress.settled(change.place.transaction);
      this.feedback.schedule();
    }
    this.queue.settled(change, settlement);
  }

  /** Rows that are asked for come in the place of the request. */
  #request({ prefix, tables }: Extract<Decoded, { kind: 'request' }>, current: Current): void {
    current.count++;
    if (prefix !== this.#options.requestPrefix) return;
    const { id, time, transaction, count } = current;
    const reader = this.#options.rowsOf(tables);
    const sequence = this.#sequence++;
    transaction.open++;
    const rows: Rows = {
      sequence,
      next: async (most) => {
        const found = await reader.next(most);
        return (found?.rows ?? []).map((row) => {
          const { schema, table } = found as TableRows;
          const name = `${id}:${count}:${digestOf(schema, table, row)}`;
          return this.#made(
            { trigger: 'INSERT', schema, table, timestamp: time, id: name, new: row, snapshot: true },
            { transaction, sequence: sequence - 0.5, order: undefined, isAlone: false },
          );
        });
      },
      end: (isDone) => {
        reader.end();
        if (!isDone) return;
        this.#progress.settled(transaction);
        this.feedback.schedule();
      },
    };
    this.queue.add(rows);
    this.queue.pump();
  }
}
