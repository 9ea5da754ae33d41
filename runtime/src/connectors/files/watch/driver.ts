import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Codec } from '../../../platform/formats/registry.ts';
import { type PatternGrammar, Routes } from '../../intake/dispatch/routes.ts';
import type { Delivery, Driver, MessageContent, Retry, RetryPolicy, Settlement } from '../../intake/driver.ts';
import type { Engine } from '../engine.ts';
import type { Entry, Exchange } from '../store.ts';
import { FileDelivery, type Watch } from './delivery.ts';
import { inTurns } from './in-turns.ts';
import { messageOf } from './message.ts';
import { MovesAside } from './moving.ts';
import { filePatterns } from './patterns.ts';
import { type Tracked, tracked, versionOf, wasSeen } from './tracked.ts';
import { WaitingFiles } from './waiting-files.ts';

/** Files that a watch remembers. */
const mostFiles = 1_000_000;
/** Milliseconds between two looks, at most, unless `watch_interval` is longer: a look may have waited for the machine. */
const longestRest = 60_000;
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
  readonly patterns: PatternGrammar;
  /** A file that no flow takes stays where it is. */
  readonly isSelective = true;
  readonly retries: RetryPolicy | undefined;
  readonly #engine: Engine;
  readonly #folder: string;
  readonly #settings: WatchSettings;
  readonly #services: Pick<ConnectorServices, 'log' | 'clock'>;
  /** Folders of files that were handled, without a `/` at their end; absent: each change is a message once. */
  readonly #aside: { readonly done: string; readonly failed: string } | undefined;
  readonly #moves = new MovesAside();
  readonly #files = new Map<string, Tracked>();
  readonly #waiting = new WaitingFiles();
  /** Files whose move failed, and where they are to be: it is made again. */
  readonly #unmoved = new Map<Tracked, string>();
  #looks = 0;
  #routes: Routes<Binding> | undefined;
  /** What was there before the first look is passed over. */
  #isFirstLook: boolean;
  #deliver: ((delivery: Delivery) => void) | undefined;
  #room = 0;
  #delivered = 0;
  #stopping = new AbortController();
  #loop: Promise<void> = Promise.resolve();
  #problem: string | undefined;

  /** `folder` is what is looked at, for people. */
  constructor(
    type: string,
    folder: string,
    engine: Engine,
    settings: WatchSettings,
    services: Pick<ConnectorServices, 'log' | 'clock'>,
  ) {
    this.type = type;
    this.name = engine.connector;
    this.#folder = folder;
    this.workers = settings.workers;
    this.window = Math.max(window, settings.workers);
    this.#engine = engine;
    this.patterns = filePatterns(engine.spec.naming);
    this.#settings = settings;
    this.#services = services;
    const { done, failed, retries } = settings;
    if (done !== undefined && failed !== undefined)
      this.#aside = { done: done.replace(/\/$/, ''), failed: failed.replace(/\/$/, '') };
    this.retries = this.#aside && { most: retries, keepsRejected: true, pause: 'peer' };
    this.#isFirstLook = this.#aside === undefined;
  }

  /** Why files are not seen, or not moved; undefined while all is well. */
  get problem(): string | undefined {
    return this.#problem;
  }

  follow(bindings: readonly Binding[]): boolean {
    this.#routes = new Routes(bindings, ({ operation }) => operation, this.patterns);
    void this.#offerAgain(this.#routes);
    return false;
  }

  /** What was delivered and not settled is delivered again. */
  reset(): void {
    this.#delivered = 0;
    for (const file of this.#files.values()) if (file.state === 'delivered') this.#wait(file);
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

  async waiting(): Promise<number> {
    let count = 0;
    await inTurns(this.#files.values(), ({ state }) => {
      if (state === 'waiting' || state === 'changing') count++;
    });
    return count;
  }

  message(entry: Entry, event: Tracked['event'], codec: Codec | undefined): Promise<MessageContent> {
    return messageOf(this.#engine, entry, event, codec);
  }

  async settle(file: Tracked, settlement: Settlement): Promise<void> {
    if (settlement.kind === 'requeue') {
      this.#end();
      // What is given back waits for the next look: at once, it would be given back again until the subscription has ended.
      this.#waitAgain(file, settlement.byPolicy === true ? this.#settings.interval : 0);
      return;
    }
    const isCurrent = this.#isCurrent(file);
    if (isCurrent) file.state = 'settled';
    // Its place in the window is free when it is moved, which takes long where the store is far away.
    if (isCurrent && this.#aside !== undefined)
      await this.#move(file, settlement.kind === 'ack' ? this.#aside.done : this.#aside.failed);
    this.#end();
    this.#next();
  }

  postpone(file: Tracked, { tries, after }: Retry): void {
    this.#end();
    file.tries = tries;
    this.#waitAgain(file, after);
    this.#next();
  }

  /** Frees a place of the window; after a reset there is nothing to free. */
  #end(): void {
    if (this.#delivered > 0) this.#delivered--;
  }

  /** Has the files that no flow took wait for those that there are now. */
  async #offerAgain(routes: Routes<Binding>): Promise<void> {
    await inTurns(this.#files.values(), (file) => {
      if (file.state === 'untaken' && this.#routes === routes) this.#wait(file);
    });
    this.#next();
  }

  /** One that changed meanwhile is another message, which waits until it has come to rest. */
  #waitAgain(file: Tracked, after: number): void {
    if (!this.#isCurrent(file)) return;
    file.notBefore = this.#services.clock.elapsed() + after;
    this.#wait(file);
  }

  #wait(file: Tracked): void {
    file.state = this.#routes?.match(file.entry.path) === undefined ? 'untaken' : 'waiting';
    if (file.state === 'waiting') this.#waiting.add(file, this.#services.clock.elapsed());
  }

  #isCurrent(file: Tracked): boolean {
    return this.#files.get(file.entry.path) === file;
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const { clock } = this.#services;
    const { interval } = this.#settings;
    for (let at = clock.elapsed() + interval; ; ) {
      const next = Math.min(at, this.#waiting.due ?? at);
      await clock.sleep(Math.max(1, next - clock.elapsed()), signal).catch(() => undefined);
      if (signal.aborted) return;
      const began = clock.elapsed();
      if (began >= at) {
        await this.#look(signal).catch(() => undefined);
        const ended = clock.elapsed();
        // Of very many files, a look takes long: half of the time at most.
        at = ended + Math.max(interval, Math.min(ended - began, longestRest));
      }
      this.#next();
    }
  }

  /** Compares what is there with what is known. */
  async #look(signal?: AbortSignal): Promise<void> {
    const { exchange, end } = this.#engine.exchanges.begin(signal);
    try {
      const problem = await this.#compare(exchange);
      for (const [file, folder] of this.#unmoved) await this.#move(file, folder);
      this.#setProblem(problem);
    } catch (error) {
      const failure = asFailure(error);
      if (!signal?.aborted) this.#setProblem(failure.message);
      throw failure;
    } finally {
      end();
    }
  }

  /** Resolves with why a part of the files was not looked at; undefined when all were. */
  async #compare(exchange: Exchange): Promise<string | undefined> {
    const { recursive } = this.#settings;
    const hidden: string[] = [];
    let problem: string | undefined;
    const unreadable = (folder: string, { message }: Failure) => {
      hidden.push(`${folder}/`);
      problem = message;
    };
    const leaves = (path: string) => this.#isAside(path);
    const now = this.#services.clock.elapsed();
    this.#looks++;
    for await (const entry of this.#engine.store().list('', { recursive, unreadable, leaves }, exchange)) {
      if (entry.isFolder || this.#isAside(entry.path)) continue;
      this.#see(entry, now);
      if (this.#files.size > mostFiles) throw new Failure('connector_failed', `there are more than ${mostFiles} files`);
    }
    this.#isFirstLook = false;
    await this.#forgetGone(hidden);
    this.#waiting.shrink(this.#files.size);
    return problem;
  }

  /** Forgets the files that the look has not seen; those of folders that could not be read may be there. */
  async #forgetGone(hidden: readonly string[]): Promise<void> {
    await inTurns(this.#files, ([path, file]) => {
      if (file.seen !== this.#looks && !hidden.some((folder) => path.startsWith(folder))) this.#forget(path, file);
    });
  }

  #see(entry: Entry, now: number): void {
    const known = this.#files.get(entry.path);
    if (known === undefined) {
      const file = this.#track(entry, now, 'created');
      if (this.#isFirstLook) file.state = 'settled';
      return;
    }
    known.seen = this.#looks;
    if (versionOf(known.entry) !== versionOf(entry)) {
      // The delivery of the version before it holds that one, and settles nothing of this one.
      const event = wasSeen(known) ? 'modified' : 'created';
      this.#forget(entry.path, known);
      this.#track(entry, now, event);
    } else if (known.state === 'changing' && now - known.since >= this.#settings.interval) this.#wait(known);
  }

  #track(entry: Entry, since: number, event: Tracked['event']): Tracked {
    const file = tracked(entry, since, event, this.#looks);
    this.#files.set(entry.path, file);
    return file;
  }

  #forget(path: string, file: Tracked): void {
    this.#files.delete(path);
    this.#unmoved.delete(file);
    file.state = 'settled';
  }

  /** What was moved aside is not a message again. */
  #isAside(path: string): boolean {
    if (this.#aside === undefined) return false;
    const { isFlat } = this.#engine.spec.naming;
    // Where there are folders, nothing of this name is a message.
    const isIn = (folder: string) => path.startsWith(`${folder}/`) || (!isFlat && path === folder);
    return isIn(this.#aside.done) || isIn(this.#aside.failed);
  }

  #next(): void {
    while (this.#deliver !== undefined && this.#delivered < this.#room) {
      const file = this.#nextFile();
      if (file === undefined) return;
      this.#deliver(this.#delivery(file));
    }
  }

  #nextFile(): Tracked | undefined {
    for (;;) {
      const file = this.#waiting.next(this.#services.clock.elapsed());
      if (file === undefined || this.#routes?.match(file.entry.path) !== undefined) return file;
      file.state = 'untaken';
    }
  }

  #delivery(file: Tracked): Delivery {
    file.state = 'delivered';
    this.#delivered++;
    return new FileDelivery(this, file);
  }

  async #move(file: Tracked, folder: string): Promise<void> {
    const { exchange, end } = this.#engine.exchanges.begin(undefined);
    const { path } = file.entry;
    try {
      await this.#moves.move(this.#engine.store(), file.entry, folder, exchange);
      this.#unmoved.delete(file);
    } catch (error) {
      const { code, message } = asFailure(error);
      // Another program has taken it away.
      if (code === 'not_found') this.#unmoved.delete(file);
      else {
        if (!this.#unmoved.has(file))
          this.#services.log.warn('a file that was handled is not moved yet', { file: path, error: message });
        this.#unmoved.set(file, folder);
      }
    } finally {
      end();
    }
  }

  #setProblem(problem: string | undefined): void {
    const { log } = this.#services;
    if (problem !== undefined && this.#problem === undefined)
      log.warn('files cannot be looked at', { folder: this.#folder, error: problem });
    else if (problem === undefined && this.#problem !== undefined)
      log.info('files can be looked at again', { folder: this.#folder });
    this.#problem = problem;
  }
}
