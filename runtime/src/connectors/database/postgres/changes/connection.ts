import type pg from 'pg';
import type { SourceCounts } from '../../../../foundation/contracts/observer.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { Connection } from '../../../../platform/net/connection.ts';
import { destroy } from '../pool.ts';
import type { ValueTypes } from '../types.ts';
import { otherIn } from './application.ts';
import type { Change } from './change.ts';
import type { DeadLetters } from './dead-letters.ts';
import { Decoder } from './decoder.ts';
import type { Emptied } from './emptied.ts';
import type { Handled } from './handled.ts';
import { closeLink, internals } from './link.ts';
import { lackOf, refuse, requireSlot, tableFilter, type Wanted } from './requirements.ts';
import { Snapshot } from './snapshot.ts';
import { ChangeStream, type SnapshotReader } from './stream.ts';
import type { Catalog, ServerFacts } from './system-catalog.ts';

/** Milliseconds between two attempts to use a slot that another process uses. */
const askEvery = 200;
/** How often the server is notified, and asked how far it is; milliseconds. */
const longestSilence = 10_000;
/** The server says that something is used by another process (Error Codes of the server). */
const inUse = '55006';

/** What all connections of a connector share. */
export interface Shared {
  readonly wanted: () => Wanted;
  readonly application: string;
  readonly order: 'row' | 'commit';
  /** Where changes go that are given up. Undefined: they are dropped. */
  readonly deadLetters: DeadLetters | undefined;
  /** Begins the messages that ask for rows; undefined: no one may ask. */
  readonly requestPrefix: string | undefined;
  readonly maxLag: number;
  readonly counts: Pick<SourceCounts, 'behind'>;
  readonly handled: Handled;
  readonly emptied: Emptied;
  readonly log: Log;
  readonly clock: Clock;
  /** A further connection to the server. */
  readonly open: (lost: (reason: string) => void) => Promise<pg.Client>;
}

/** What one connection consists of. */
export interface Parts {
  readonly client: pg.Client;
  readonly catalogClient: pg.Client;
  readonly catalog: Catalog;
  readonly types: ValueTypes;
  readonly facts: ServerFacts;
  readonly life: number;
  readonly lost: (reason: string) => void;
}

/** A connection for the stream of changes, and one beside it over which the server is asked. */
export class SlotConnection implements Connection {
  readonly catalog: Catalog;
  readonly #shared: Shared;
  readonly #parts: Parts;
  readonly #ended = new AbortController();
  /** The stream over which the server sends, once it has begun. */
  #stream: ChangeStream | undefined;
  /** Takes what the server sends, from before it begins. */
  #incoming: ChangeStream | undefined;
  #looking: Promise<void> | undefined;
  /** The slot is being asked for, or is used over this connection. */
  #isTaking = false;
  #timer: NodeJS.Timeout | undefined;
  /** Why it works with less than it should; undefined when all is well. */
  concern: string | undefined;

  constructor(shared: Shared, parts: Parts) {
    this.#shared = shared;
    this.#parts = parts;
    this.catalog = parts.catalog;
    internals(parts.client).connection.on('copyData', ({ chunk }) => {
      try {
        this.#incoming?.take(chunk);
      } catch (error) {
        this.#fail(error);
      }
    });
  }

  /** Delivers changes from now on, at most `window` unsettled ones. Rejects when the slot cannot be used. */
  async subscribe(window: number, deliver: (change: Change) => void): Promise<void> {
    if (!this.#isTaking) {
      this.#isTaking = true;
      if (!(await this.#take())) void this.#wait(window, deliver).catch((error: unknown) => this.#fail(error));
    }
    this.#stream?.queue.begin(window, deliver);
  }

  pause(): void {
    this.#stream?.queue.pause();
  }

  /** Asks the server over both connections. Rejects where changes should come and do not. */
  async ping(): Promise<void> {
    await this.#look();
    const stream = this.#stream;
    // What is not read has an answer of the server behind it.
    if (stream !== undefined && !stream.isHeld) await stream.feedback.ask();
  }

  /** What is settled has reached the server, and the slot is free, when it resolves. */
  async close(): Promise<void> {
    const stream = this.#stream;
    if (stream !== undefined) {
      stream.queue.end();
      internals(this.#parts.client).connection.stream.resume();
      await stream.feedback.ask();
    }
    this.#end();
    await Promise.all([closeLink(this.#parts.client), closeLink(this.#parts.catalogClient)]);
  }

  destroy(): void {
    this.#end();
    destroy(this.#parts.client);
    destroy(this.#parts.catalogClient);
  }

  #end(): void {
    this.#ended.abort(new Failure('cancelled', 'the connection is closed'));
    clearInterval(this.#timer);
    this.#stream?.end();
  }

  /** Whether the slot is used over this connection now; false while another one uses it. */
  async #take(): Promise<boolean> {
    const { client, catalog, types, life, facts } = this.#parts;
    const { order, requestPrefix, deadLetters, handled, emptied } = this.#shared;
    const { slot, publication, tables } = this.#shared.wanted();
    const found = await catalog.slot(slot);
    if (found === undefined) throw new Failure('connector_refused', `the slot "${slot}" does not exist any more`);
    requireSlot(found, this.#shared.wanted());
    if (found.activePid !== undefined) {
      this.#refuseOther(await catalog.applicationOf(found.activePid));
      // A connection of this process that was lost, which the server has not noticed yet.
      await catalog.endProcess(found.activePid, this.#shared.application);
      return false;
    }
    const position = await unlessInUse(handled.position(catalog, slot, found, publication));
    if (position === undefined) return false;
    const { connection } = internals(client);
    const decoder = new Decoder(publication, requestPrefix !== undefined, types);
    const stream = new ChangeStream({
      decoder,
      confirmed: position,
      life,
      order,
      takes: tableFilter(tables, deadLetters),
      emptied: (table) => emptied.pass(table),
      handled: (commit) => handled.note(commit),
      bury: deadLetters && ((change, reason) => deadLetters.keep(catalog.client, change, reason)),
      requestPrefix: requestPrefix ?? '',
      learn: () => catalog.learn(types),
      rowsOf: (asked) => this.#rowsOf(asked),
      send: (status) => connection.sendCopyFromChunk(status),
      hold: (isHeld) => void (isHeld ? connection.stream.pause() : connection.stream.resume()),
      failed: (error) => this.#fail(error),
    });
    const { promise: begun, resolve } = Promise.withResolvers<void>();
    connection.once('replicationStart', resolve);
    this.#incoming = stream;
    const running = decoder.start(client, slot, position);
    const beginning = Promise.race([begun, running]).then(() => stream);
    running.catch(() => undefined);
    this.#stream = await unlessInUse(beginning);
    if (this.#stream === undefined) return false;
    // It may have ended already: the server sends its beginning and an error at once.
    running.catch((error: unknown) => this.#fail(error));
    const { senderTimeout } = facts;
    const every = senderTimeout > 0 ? Math.min(longestSilence, senderTimeout / 3) : longestSilence;
    this.#timer = setInterval(() => this.#tick(), every);
    return true;
  }

  /** Changes that one takes never come to the other: only processes of one service share a slot, one after another. */
  #refuseOther(application: string | undefined): void {
    const other = application === undefined ? undefined : otherIn(application, this.#shared.application);
    if (other === undefined) return;
    const { slot } = this.#shared.wanted();
    throw refuse(
      `the slot "${slot}" is used by connector "${other.connector}" of service "${other.service}", and a change comes to one of them alone: write another slot_name`,
    );
  }

  /** Another process uses the slot: it is asked for until it is free. */
  async #wait(window: number, deliver: (change: Change) => void): Promise<void> {
    const { log, clock } = this.#shared;
    const { slot } = this.#shared.wanted();
    const { signal } = this.#ended;
    for (let attempt = 0; !this.#stream; attempt++) {
      await clock.sleep(askEvery, signal).catch(() => undefined);
      if (signal.aborted) return;
      if (attempt === 5) {
        this.concern = `the slot "${slot}" is used by another process: this one takes its changes when it is free`;
        log.info('the slot is used by another process; waiting until it is free', { slot });
      }
      await this.#take();
    }
    this.concern = undefined;
    this.#stream.queue.begin(window, deliver);
  }

  #tick(): void {
    this.#stream?.feedback.confirm(true);
    if (this.#looking !== undefined) return this.#fail(new Error('the server does not answer'));
    this.#looking = this.#look()
      .catch((error: unknown) => this.#fail(error))
      .finally(() => {
        this.#looking = undefined;
      });
  }

  /** How far the slot is behind, and whether what the flows name is still published. */
  async #look(): Promise<void> {
    const { maxLag, counts, log } = this.#shared;
    const wanted = this.#shared.wanted();
    const found = await this.catalog.slot(wanted.slot);
    if (found === undefined)
      throw new Failure('connector_refused', `the slot "${wanted.slot}" does not exist any more`);
    requireSlot(found, wanted);
    if (this.#stream === undefined) return;
    counts.behind(wanted.slot, found.lag);
    const publication = await this.catalog.publication(wanted.publication);
    const before = this.concern;
    this.concern =
      found.lag > maxLag
        ? `the slot "${wanted.slot}" is ${found.lag} bytes behind, more than ${maxLag} (max_lag): the server keeps them on its disk until their flows have ended`
        : publication && lackOf(publication, wanted);
    if (this.concern !== undefined && before === undefined) log.warn(this.concern);
  }

  #rowsOf(asked: readonly string[]): SnapshotReader {
    const { types } = this.#parts;
    const { publication, tables } = this.#shared.wanted();
    let client: pg.Client | undefined;
    let snapshot: Snapshot | undefined;
    const begin = async () => {
      client = await this.#shared.open((reason) => this.#fail(new Error(reason)));
      await this.catalog.learn(types);
      const published = (await this.catalog.publication(publication))?.tables ?? [];
      const [isTaken, isAsked] = [tableFilter(tables, this.#shared.deadLetters), tableFilter(asked)];
      const chosen = published.filter(({ schema, table }) => isTaken(schema, table) && isAsked(schema, table));
      this.#shared.log.info('rows that exist are delivered', { tables: chosen.map(({ table }) => table) });
      return new Snapshot(client, types, chosen);
    };
    return {
      next: async (most) => {
        snapshot ??= await begin();
        return snapshot.next(most);
      },
      end: () => client && destroy(client),
    };
  }

  #fail(error: unknown): void {
    if (this.#ended.signal.aborted) return;
    const text = error instanceof Error ? error.message : String(error);
    const { slot, publication } = this.#shared.wanted();
    // The server reads changes with the publications that there were when they were made.
    const isYounger = /^publication .* does not exist$/.test(text);
    this.#parts.lost(
      isYounger
        ? `the publication "${publication}" is younger than changes behind the slot "${slot}", which cannot be read with it: drop the slot (SELECT pg_drop_replication_slot('${slot}')), make a new one, and take a snapshot of the rows`
        : text,
    );
  }
}

/** Undefined where the slot is used by another process. */
async function unlessInUse<T>(use: Promise<T>): Promise<T | undefined> {
  try {
    return await use;
  } catch (error) {
    if ((error as { readonly code?: unknown }).code === inUse) return undefined;
    throw error;
  }
}
