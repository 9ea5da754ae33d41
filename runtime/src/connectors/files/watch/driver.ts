import type { ConnectorServices } from '../../../contracts/connector.ts';
import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Codec } from '../../../formats/registry.ts';
import type { Delivery, Driver, MessageContent, Retry, RetryPolicy, Settlement } from '../../../intake/driver.ts';
import type { Engine } from '../engine.ts';
import type { Entry, Exchange } from '../store.ts';
import { FileDelivery, type Watch } from './delivery.ts';
import { messageOf } from './message.ts';
import { moveAside } from './moving.ts';
import { filePatterns } from './patterns.ts';
import { type Tracked, tracked, versionOf } from './tracked.ts';

/** Files that a watch remembers. */
const mostFiles = 1_000_000;
/** Deliveries that wait with the intake. */
const window = 100;

export interface WatchSettings {
  readonly done: string | undefined;
  readonly failed: string | undefined;
  readonly retries: number;
  /** Milliseconds. */
  readonly interval: number;
  readonly workers: number;
  readonly recursive: boolean;
}

/** Looks at the files of a store again and again, and delivers those that have come to rest. */
export class WatchDriver implements Driver, Watch {
  readonly type: string;
  readonly name: string;
  readonly window: number;
  readonly workers: number;
  readonly patterns = filePatterns;
  readonly retries: RetryPolicy | undefined;
  readonly #engine: Engine;
  readonly #settings: WatchSettings;
  readonly #services: Pick<ConnectorServices, 'log' | 'clock'>;
  readonly #files = new Map<string, Tracked>();
  /** What was there before the first look is passed over. */
  #isFirstLook: boolean;
  #deliver: ((delivery: Delivery) => void) | undefined;
  #room = 0;
  #delivered = 0;
  #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  constructor(
    type: string,
    name: string,
    engine: Engine,
    settings: WatchSettings,
    services: Pick<ConnectorServices, 'log' | 'clock'>,
  ) {
    this.type = type;
    this.name = name;
    this.workers = settings.workers;
    this.window = Math.max(window, settings.workers);
    this.#engine = engine;
    this.#settings = settings;
    this.#services = services;
    const { done, failed, retries } = settings;
    this.#isInbox = done !== undefined || failed !== undefined;
    this.retries = this.#isInbox ? { most: retries, keepsRejected: failed !== undefined, pause: 'peer' } : undefined;
    this.#isFirstLook = !this.#isInbox;
  }

  /** Files stay messages until they were handled. */
  readonly #isInbox: boolean;

  /** Why files are not seen, or not moved; undefined while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** What was delivered and not settled is delivered again. */
  reset(): void {
    this.#delivered = 0;
    for (const file of this.#files.values()) if (file.state === 'delivered') file.state = 'waiting';
  }

  /** The first look, which finds what is there already. Rejects when the store cannot be looked at. */
  async begin(): Promise<void> {
    await this.#look();
  }

  async subscribe(room: number, deliver: (delivery: Delivery) => void): Promise<void> {
    this.#room = room;
    this.#deliver = deliver;
    this.#stopping = new AbortController();
    this.#next();
    const { signal } = this.#stopping;
    this.#loop = this.#loop.then(() => this.#watch(signal));
  }

  async unsubscribe(): Promise<void> {
    this.#deliver = undefined;
    this.#stopping.abort();
    await this.#loop;
  }

  async take(): Promise<Delivery | undefined> {
    await this.#look();
    const file = this.#nextFile();
    return file && this.#delivery(file);
  }

  async waiting(): Promise<number> {
    let count = 0;
    for (const { state } of this.#files.values()) if (state === 'waiting' || state === 'changing') count++;
    return count;
  }

  message(entry: Entry, event: Tracked['event'], codec: Codec | undefined): Promise<MessageContent> {
    return messageOf(this.#engine, entry, event, codec);
  }

  async settle(file: Tracked, entry: Entry, settlement: Settlement): Promise<void> {
    this.#delivered--;
    // What is given back waits for the next look: at once, it would be given back again until the subscription has ended.
    if (settlement.kind === 'requeue')
      return this.#setWaiting(file, entry, settlement.byPolicy === true ? this.#settings.interval : 0);
    const { done, failed } = this.#settings;
    const isCurrent = this.#isCurrent(file, entry);
    if (isCurrent) file.state = 'settled';
    const folder = settlement.kind === 'ack' ? done : failed;
    if (isCurrent && folder !== undefined) await this.#move(file, folder);
    this.#next();
  }

  postpone(file: Tracked, entry: Entry, { tries, after }: Retry): void {
    this.#delivered--;
    if (this.#isCurrent(file, entry)) file.tries = tries;
    this.#setWaiting(file, entry, after);
    this.#next();
  }

  /** A file that changed meanwhile is another message, which waits until it has come to rest. */
  #setWaiting(file: Tracked, entry: Entry, after: number): void {
    if (!this.#isCurrent(file, entry)) return;
    file.state = 'waiting';
    file.notBefore = this.#services.clock.elapsed() + after;
  }

  #isCurrent(file: Tracked, entry: Entry): boolean {
    return this.#files.get(entry.path) === file && file.entry === entry;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#services;
    for (;;) {
      await clock.sleep(this.#pause(), signal).catch(() => undefined);
      if (signal.aborted) return;
      await this.#look(signal).catch(() => undefined);
      this.#next();
    }
  }

  /** Until the next look, or until the next file may be tried again. */
  #pause(): number {
    const now = this.#services.clock.elapsed();
    let pause = this.#settings.interval;
    for (const { state, notBefore } of this.#files.values())
      if (state === 'waiting' && notBefore > now) pause = Math.min(pause, notBefore - now);
    return Math.max(1, pause);
  }

  /** Compares what is there with what is known. */
  async #look(signal?: AbortSignal): Promise<void> {
    const { exchange, end } = this.#engine.exchanges.begin(signal);
    try {
      await this.#compare(exchange);
      for (const file of this.#files.values()) if (file.moveTo !== undefined) await this.#move(file, file.moveTo);
      this.#setProblem(undefined);
    } catch (error) {
      const failure = asFailure(error);
      if (signal?.aborted) throw failure;
      this.#setProblem(failure.message);
      throw failure;
    } finally {
      end();
    }
  }

  async #compare(exchange: Exchange): Promise<void> {
    const { interval, recursive } = this.#settings;
    const there = new Set<string>();
    const now = this.#services.clock.elapsed();
    for await (const entry of this.#engine.store().list('', { recursive }, exchange)) {
      if (entry.isFolder || this.#isAside(entry.path)) continue;
      there.add(entry.path);
      if (there.size > mostFiles) throw new Failure('connector_failed', `there are more than ${mostFiles} files`);
      const known = this.#files.get(entry.path);
      if (known === undefined) {
        const file = tracked(entry, now, 'created');
        if (this.#isFirstLook) file.state = 'settled';
        this.#files.set(entry.path, file);
      } else if (versionOf(known.entry) !== versionOf(entry))
        // The delivery of the version before it holds that one, and settles nothing of this one.
        this.#files.set(entry.path, tracked(entry, now, wasSeen(known) ? 'modified' : 'created'));
      else if (known.state === 'changing' && now - known.since >= interval) known.state = 'waiting';
    }
    this.#isFirstLook = false;
    for (const path of this.#files.keys()) if (!there.has(path)) this.#files.delete(path);
  }

  /** What was moved aside is not a message again. */
  #isAside(path: string): boolean {
    const { done, failed } = this.#settings;
    return [done, failed].some((folder) => folder !== undefined && path.startsWith(`${folder.replace(/\/+$/, '')}/`));
  }

  #next(): void {
    while (this.#deliver !== undefined && this.#delivered < this.#room) {
      const file = this.#nextFile();
      if (file === undefined) return;
      this.#deliver(this.#delivery(file));
    }
  }

  /** The one that has waited longest, by when it was changed. */
  #nextFile(): Tracked | undefined {
    const now = this.#services.clock.elapsed();
    let next: Tracked | undefined;
    for (const file of this.#files.values())
      if (file.state === 'waiting' && file.notBefore <= now && (next === undefined || isBefore(file, next)))
        next = file;
    return next;
  }

  #delivery(file: Tracked): Delivery {
    file.state = 'delivered';
    this.#delivered++;
    return new FileDelivery(this, file);
  }

  async #move(file: Tracked, folder: string): Promise<void> {
    const { exchange, end } = this.#engine.exchanges.begin(undefined);
    try {
      await moveAside(this.#engine.store(), file.entry, folder, exchange);
      file.moveTo = undefined;
      if (this.#files.get(file.entry.path) === file) this.#files.delete(file.entry.path);
    } catch (error) {
      const { code, message } = asFailure(error);
      if (code === 'not_found') {
        file.moveTo = undefined;
        return;
      }
      if (file.moveTo === undefined)
        this.#services.log.warn('a file that was handled is not moved yet', { file: file.entry.path, error: message });
      file.moveTo = folder;
    } finally {
      end();
    }
  }

  #setProblem(problem: string | undefined): void {
    if (problem !== undefined && this.#problem === undefined)
      this.#services.log.warn('files cannot be looked at', { folder: this.name, error: problem });
    else if (problem === undefined && this.#problem !== undefined)
      this.#services.log.info('files can be looked at again', { folder: this.name });
    this.#problem = problem;
  }
}

/** Whether a version of it was a message, or was passed over at the start. */
function wasSeen({ state, event }: Tracked): boolean {
  return state === 'delivered' || state === 'settled' || event === 'modified';
}

function isBefore(a: Tracked, b: Tracked): boolean {
  const [first, second] = [a.entry.modified ?? 0, b.entry.modified ?? 0];
  return first === second ? a.entry.path < b.entry.path : first < second;
}
