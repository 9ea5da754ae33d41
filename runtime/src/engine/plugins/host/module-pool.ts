import { Buffer, isUtf8 } from 'node:buffer';
import type { ModuleBounds, ModuleCounts } from '../../../foundation/contracts/modules.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import { exactJson } from '../../../platform/formats/exact-json.ts';
import { decodeJson } from '../../../platform/formats/json.ts';
import type { EntryKind } from '../module/entries.ts';
import { status } from './lane.ts';
import type { CallShape } from './messages.ts';
import { ModuleThread, type PendingCall, type ThreadFailure } from './module-thread.ts';
import type { PreparedModule } from './prepare.ts';

/** What becomes of the calls of a module, for metrics and for people who look at it. */
export interface ModuleObserver {
  readonly called: (entry: string, outcome: 'success' | 'error', seconds: number) => void;
  /** A call was ended at its time limit. */
  readonly ended: () => void;
  /** An instance was made new after it trapped or broke a rule. */
  readonly rebuilt: (times: number) => void;
  readonly printed: (lines: readonly string[], left: number) => void;
}

export interface ModuleSettings {
  /** For messages: `plugin "prices": geo.wasm`. */
  readonly title: string;
  readonly limits: ModuleBounds;
  /** Called with each new instance before anything else, with a JSON text. */
  readonly initial?: { readonly call: CallShape; readonly input: string } | undefined;
  readonly observer: ModuleObserver;
}

/** What a module itself answered as `error`: the cause of the Failure that comes of it. */
export class SaidError extends Error {
  override readonly name = 'SaidError';
}

/** Calls that wait, and their bytes. */
const mostWaiting = 10_000;
/** Milliseconds in which calls fail at once after no instance could be made: a thread is costly. */
const refusalTime = 1_000;
const mostWaitingBytes = 64 * 1024 * 1024;

/**
 * Calls the functions of one module, in threads. Every instance does one call at a time; calls that wait are handed over
 * together. A call that takes too long ends its thread and fails alone; those behind it are done by another one.
 */
export class ModulePool {
  readonly #module: PreparedModule;
  readonly #settings: ModuleSettings;
  readonly #threads = new Set<ModuleThread>();
  #waiting: PendingCall[] = [];
  #waitingBytes = 0;
  #isClosed = false;
  /** Resolves or rejects for those who wait for the first instance. */
  #opening: { readonly resolve: () => void; readonly reject: (error: Error) => void } | undefined;
  #idle: (() => void) | undefined;
  #counts = { calls: 0, failed: 0, ended: 0, rebuilt: 0 };
  /** Why no instance could be made, and until when no other attempt is made. */
  #refusal: { readonly problem: string; readonly until: number } | undefined;

  constructor(module: PreparedModule, settings: ModuleSettings) {
    this.#module = module;
    this.#settings = settings;
  }

  get title(): string {
    return this.#settings.title;
  }

  get limits(): ModuleBounds {
    return this.#settings.limits;
  }

  get counts(): ModuleCounts {
    return { ...this.#counts, threads: this.#threads.size, waiting: this.#waiting.length };
  }

  /** Starts the first instance. Rejects with the Failure that says why the module cannot be used. */
  open(): Promise<void> {
    this.#isClosed = false;
    if ([...this.#threads].some((thread) => thread.isFree)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#opening = { resolve, reject };
      if (this.#threads.size === 0) this.#start();
    });
  }

  /** Lets calls under way end, until `cut` fires; calls `last` in each instance that is free then, and ends all threads. */
  async close(cut?: AbortSignal, last?: string): Promise<void> {
    const isBusy = () => this.#waiting.length > 0 || [...this.#threads].some((thread) => !thread.isFree);
    if (!this.#isClosed && isBusy() && cut?.aborted !== true && this.#opening === undefined)
      await new Promise<void>((resolve) => {
        this.#idle = resolve;
        cut?.addEventListener('abort', () => resolve(), { once: true });
      });
    this.#isClosed = true;
    this.#idle = undefined;
    const { waiting } = this.#empty();
    for (const call of waiting) call.failed({ kind: 'closed' });
    if (last !== undefined && cut?.aborted !== true) await this.#callEach(last);
    await Promise.all([...this.#threads].map((thread) => thread.end()));
  }

  /**
   * Calls an entry with a value as JSON text and gives the value that it answers. Rejects with a Failure: `error` in the
   * answer, a trap, a limit, too many that wait.
   */
  call(entry: string, kind: EntryKind, input: string): Promise<unknown> {
    const convention = this.#module.convention(entry, kind);
    const began = systemClock.reading();
    const { observer, limits } = this.#settings;
    const bytes = Buffer.from(input);
    this.#counts.calls++;
    return new Promise((resolve, reject) => {
      const finish = (outcome: 'success' | 'error', settle: () => void) => {
        if (outcome === 'error') this.#counts.failed++;
        observer.called(entry, outcome, systemClock.since(began) / 1000);
        settle();
      };
      const fail = (failure: Failure) => finish('error', () => reject(failure));
      if (bytes.length > limits.max_bytes)
        return fail(
          this.#failure(entry, `the input has ${bytes.length} bytes, more than max_bytes (${limits.max_bytes})`),
        );
      if (this.#isClosed) return fail(this.#closed(entry));
      if (this.#refusal !== undefined && systemClock.elapsed() < this.#refusal.until)
        return fail(this.#failure(entry, this.#refusal.problem));
      if (this.#waiting.length >= mostWaiting || this.#waitingBytes + bytes.length > mostWaitingBytes)
        return fail(new Failure('overloaded', `too many calls of ${this.title} wait`));
      this.#waiting.push({
        shape: { entry, convention },
        input: bytes,
        ended: (code, text) => {
          if (code === status.true || code === status.false)
            return finish('success', () => resolve(code === status.true));
          if (code !== status.text) return fail(this.#failure(entry, text.toString('utf8')));
          let value: unknown;
          try {
            value = read(text);
          } catch (error) {
            return fail(this.#failure(entry, `its result is not JSON: ${(error as Error).message}`));
          }
          const problem = errorIn(value);
          if (problem === undefined) finish('success', () => resolve(value));
          else fail(this.#failure(entry, problem, new SaidError(problem)));
        },
        failed: (why) => fail(this.#failed(entry, why)),
      });
      this.#waitingBytes += bytes.length;
      this.#dispatch();
    });
  }

  /** Whatever becomes of it, each instance ends. */
  async #callEach(entry: string): Promise<void> {
    const shape = { entry, convention: this.#module.convention(entry, 'json') };
    const free = [...this.#threads].filter((thread) => thread.isFree);
    await Promise.all(
      free.map(
        (thread) =>
          new Promise<void>((resolve) => {
            thread.run([{ shape, input: Buffer.from('{}'), ended: () => resolve(), failed: () => resolve() }], 1);
          }),
      ),
    );
  }

  #dispatch(): void {
    while (this.#waiting.length > 0) {
      const free = [...this.#threads].filter((thread) => thread.isFree);
      const [thread] = free;
      if (thread === undefined) {
        if (this.#threads.size < this.#settings.limits.instances) this.#start();
        return;
      }
      // Those who could work meanwhile get their share.
      const share = Math.ceil(this.#waiting.length / Math.max(1, free.length));
      const taken = this.#waiting.splice(0, thread.run(this.#waiting, share));
      for (const { input } of taken) this.#waitingBytes -= input.length;
    }
  }

  #start(): void {
    if (this.#isClosed) return;
    const { compiled: module, functions } = this.#module;
    const { limits, initial, observer } = this.#settings;
    const data = { module, functions, maxBytes: limits.max_bytes, initial };
    const thread = new ModuleThread(`svc ${this.title}`, data, limits.timeout, {
      free: () => {
        this.#refusal = undefined;
        this.#opening?.resolve();
        this.#opening = undefined;
        this.#dispatch();
        this.#noteIdle();
      },
      ended: (ended, again, why) => this.#ended(ended, again, why),
      unusable: (ended, problem) => {
        this.#threads.delete(ended);
        this.#cannotStart(problem);
      },
      rebuilt: (times) => {
        this.#counts.rebuilt += times;
        observer.rebuilt(times);
      },
      printed: observer.printed,
    });
    this.#threads.add(thread);
  }

  #ended(thread: ModuleThread, again: readonly PendingCall[], why: ThreadFailure): void {
    const isStarting = this.#opening !== undefined;
    if (why.kind === 'limit') {
      this.#counts.ended++;
      this.#settings.observer.ended();
    }
    this.#waiting.unshift(...again);
    for (const { input } of again) this.#waitingBytes += input.length;
    // One that only gives calls back is still there.
    if (why.kind === 'closed' && again.length > 0 && thread.isFree) return this.#dispatch();
    if (!this.#threads.delete(thread)) return;
    if (isStarting) return this.#cannotStart(why.kind === 'limit' ? 'it takes too long to start' : problemOf(why));
    this.#dispatch();
    this.#noteIdle();
  }

  /** Nothing that waits is done while no instance can be made; the next call tries again. */
  #cannotStart(problem: string): void {
    const failure = new Failure('connector_failed', `${this.title} cannot be started: ${problem}`, {
      retriable: false,
    });
    this.#opening?.reject(failure);
    this.#opening = undefined;
    if (this.#threads.size > 0) return;
    this.#refusal = { problem: `it cannot be started: ${problem}`, until: systemClock.elapsed() + refusalTime };
    for (const call of this.#empty().waiting)
      call.failed({ kind: 'crash', problem: `it cannot be started: ${problem}` });
    this.#noteIdle();
  }

  #empty(): { readonly waiting: readonly PendingCall[] } {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    return { waiting };
  }

  #noteIdle(): void {
    if (this.#idle !== undefined && this.#waiting.length === 0 && [...this.#threads].every((thread) => thread.isFree))
      this.#idle();
  }

  #failed(entry: string, why: ThreadFailure): Failure {
    if (why.kind === 'closed') return this.#closed(entry);
    if (why.kind === 'crash') return this.#failure(entry, why.problem);
    const { timeout } = this.#settings.limits;
    return new Failure('connector_timeout', `${this.title}: ${entry} did not end within its timeout of ${timeout} ms`, {
      retriable: false,
    });
  }

  #closed(entry: string): Failure {
    return new Failure('cancelled', `${this.title}: ${entry} was given up because the service stops`, {
      retriable: true,
    });
  }

  #failure(entry: string, problem: string, cause?: SaidError): Failure {
    return new Failure('connector_failed', `${this.title}: ${entry}: ${problem}`, { retriable: false, cause });
  }
}

function problemOf(why: ThreadFailure): string {
  return why.kind === 'crash' ? why.problem : why.kind;
}

/** Whole numbers keep all their digits, and a key `__proto__` is only a key. */
function read(text: Buffer): unknown {
  if (!isUtf8(text)) throw new Error('it is not UTF-8');
  try {
    return decodeJson(text.toString('utf8'));
  } catch (error) {
    throw new Error((error as Error).message.replace(/^the body is not valid JSON: /, ''), { cause: error });
  }
}

/** `{"error": "…"}` fails the call. */
function errorIn(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value) || !Object.hasOwn(value, 'error'))
    return undefined;
  const { error } = value as { readonly error: unknown };
  if (error === null || error === undefined || error === '') return undefined;
  return (typeof error === 'string' ? error : exactJson(error)).slice(0, 1_000);
}
