import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Delivery, Settlement } from '../../../intake/driver.ts';
import type { DatabaseClient } from '../client.ts';
import { Change, type Place } from './change.ts';
import { ChangeCursor, type CursorOptions, type RawChange } from './cursor.ts';
import { requireImages } from './images.ts';
import { type Holder, Positions, renewEvery } from './positions.ts';
import { type Position, Progress } from './progress.ts';

/** Milliseconds between two attempts to get a lease that another process has. */
const askEvery = 1_000;
/** Changes that may pass one which keeps failing; then they wait for it. */
const mostPassing = 1_000;

/** What all streams of a connection share. */
export interface StreamContext {
  readonly client: DatabaseClient;
  readonly service: string;
  readonly connector: string;
  readonly holder: Holder;
  readonly looksUp: boolean;
  readonly before: CursorOptions['before'];
  readonly order: Place['order'];
  /** Where changes go that are given up. */
  readonly deadLetters: string | undefined;
  /** Changes that may be delivered now. */
  readonly room: () => number;
  /** Delivers a change; undefined while nothing is subscribed. */
  readonly deliver: () => ((delivery: Delivery) => void) | undefined;
  /** One was settled: there is room for others. */
  readonly freed: () => void;
  readonly lost: (reason: string) => void;
}

/** The changes of one collection: read, delivered in their order, and kept until they are settled. */
export class ChangeStream {
  readonly #collection: string;
  readonly #context: StreamContext;
  readonly #positions: Positions;
  readonly #stop = new AbortController();
  /** Read and not delivered, in their order. */
  readonly #ready: Change[] = [];
  #cursor: ChangeCursor | undefined;
  #progress: Progress | undefined;
  #sequence = 0;
  #wake: () => void = () => undefined;
  #saving: Promise<void> = Promise.resolve();
  #nextSave: Promise<void> | undefined;
  #working: Promise<void> = Promise.resolve();

  constructor(collection: string, context: StreamContext) {
    const { client, service, connector, holder } = context;
    this.#collection = collection;
    this.#context = context;
    this.#positions = new Positions(client.opened.database, { service, connector, collection }, holder);
  }

  /** Takes the lease, or waits for it while another process has it. Rejects when changes cannot be read. */
  async start(): Promise<void> {
    const isTaken = await this.#take();
    this.#working = this.#work(isTaken).catch((error: unknown) => this.#fail(error));
  }

  /** Delivers what there is room for. */
  pump(): void {
    const deliver = this.#context.deliver();
    while (deliver !== undefined && this.#ready.length > 0 && this.#context.room() > 0)
      deliver(this.#ready.shift() as Change);
    this.#wake();
  }

  /** Ends reading, keeps the position and lets another process have the lease. */
  async close(): Promise<void> {
    this.end();
    await this.#working;
    await this.#cursor?.close();
    if (this.#progress === undefined) return;
    await this.#save();
    await this.#positions.free();
  }

  end(): void {
    this.#stop.abort();
    this.#wake();
  }

  async #take(): Promise<boolean> {
    const kept = await this.#positions.take();
    if (kept === undefined) return false;
    try {
      await this.#begin(kept);
      return true;
    } catch (error) {
      // Another process, or this one after a change of its configuration, need not wait for the end of the lease.
      await this.#positions.free().catch(() => undefined);
      throw error;
    }
  }

  async #begin(kept: Partial<Position>): Promise<void> {
    const { client, looksUp, before } = this.#context;
    if (before === 'required') await requireImages(client.opened.database, this.#collection);
    const cursor = new ChangeCursor(client.opened, {
      collection: this.#collection,
      after: kept.token,
      looksUp,
      before,
    });
    this.#cursor = cursor;
    await cursor.open(this.#stop.signal);
    const token = kept.token ?? cursor.token;
    if (token === undefined) throw new Failure('connector_failed', 'the server gives no position of its changes');
    this.#progress = new Progress({ token, done: kept.done ?? [] });
    // What changes until the first one is settled would be lost without a position.
    await this.#save();
  }

  async #work(isTaken: boolean): Promise<void> {
    const { signal } = this.#stop;
    for (let has = isTaken; !has && !signal.aborted; has = signal.aborted || (await this.#take()))
      await this.#pause(askEvery);
    if (signal.aborted) return;
    const renewal = setInterval(() => void this.#save().catch((error: unknown) => this.#fail(error)), renewEvery);
    try {
      while (!signal.aborted) await this.#read(signal);
    } finally {
      clearInterval(renewal);
    }
  }

  async #read(signal: AbortSignal): Promise<void> {
    const [cursor, progress] = [this.#cursor as ChangeCursor, this.#progress as Progress];
    const free = this.#context.deliver() === undefined ? 0 : this.#context.room() - this.#ready.length;
    if (free <= 0 || progress.size >= mostPassing) return this.#pause(undefined);
    const found = await cursor.next(free, signal);
    for (const raw of found) this.#add(raw);
    progress.idle(found.length === 0 ? cursor.token : undefined);
    this.pump();
  }

  #add(raw: RawChange): void {
    if (this.#progress?.begin(raw._id) !== true) return;
    const settle = (change: Change, settlement: Settlement) => this.#settle(change, settlement);
    const { holder, order, deadLetters } = this.#context;
    const bury =
      deadLetters === undefined
        ? undefined
        : (change: Change, reason: string) => this.#bury(deadLetters, change, reason);
    const place = { life: holder.life, sequence: this.#sequence++, order };
    this.#ready.push(new Change(raw, this.#collection, place, { settle, bury }));
  }

  #settle(change: Change, { kind }: Settlement): void {
    if (kind === 'requeue') {
      const behind = this.#ready.findIndex(({ sequence }) => sequence > change.sequence);
      this.#ready.splice(behind < 0 ? this.#ready.length : behind, 0, change);
      // The intake, which gives it back, may be about to end the subscription.
      setImmediate(this.#context.freed);
      return;
    }
    this.#progress?.settled(change.raw._id);
    // The next message does not wait for the server, as it does not for acknowledgements to a broker; a close does.
    this.#save().catch((error: unknown) => this.#fail(error));
    this.#context.freed();
  }

  /** A change that cannot be kept is not over: it comes again over another connection. */
  async #bury(collection: string, { id, raw, key }: Change, reason: string): Promise<void> {
    const { client, connector } = this.#context;
    const letter = { connector, collection: key, reason, at: new Date(), change: raw };
    try {
      // The same change is kept once for a connector, however often it is given up.
      await client.opened.database
        .collection<{ _id: string }>(collection)
        .updateOne({ _id: `${connector}/${id}` }, { $set: letter }, { upsert: true });
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Resolves when a position that is at least this one is kept. */
  #save(): Promise<void> {
    this.#nextSave ??= this.#saving
      .catch(() => undefined)
      .then(() => {
        this.#saving = this.#nextSave as Promise<void>;
        this.#nextSave = undefined;
        return this.#write();
      });
    return this.#nextSave;
  }

  async #write(): Promise<void> {
    if (await this.#positions.keep((this.#progress as Progress).position)) return;
    this.#stop.abort();
    const text = `another process takes the changes of "${this.#collection}"`;
    this.#context.lost(text);
    throw new Failure('connector_refused', text);
  }

  /** Resolves after `milliseconds`, when there is room again, or when it ends. */
  async #pause(milliseconds: number | undefined): Promise<void> {
    if (this.#stop.signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#wake = resolve;
    const timer = milliseconds === undefined ? undefined : setTimeout(resolve, milliseconds);
    await promise;
    clearTimeout(timer);
    this.#wake = () => undefined;
  }

  #fail(error: unknown): void {
    if (!this.#stop.signal.aborted) this.#context.lost(error instanceof Error ? error.message : String(error));
  }
}
