import { Buffer } from 'node:buffer';
import { Worker } from 'node:worker_threads';
import { threadProgram } from '../../../platform/threads/program.ts';
import { createLane, fields, type Lane, laneBytes, mostTogether, type Status, steadyTime } from './lane.ts';
import type { Batch, BatchDone, CallShape, FromThread, ThreadData } from './messages.ts';

/** A call that is on its way. */
export interface PendingCall {
  readonly shape: CallShape;
  readonly input: Buffer;
  /** Called once, with how it ended and the text that came of it. */
  readonly ended: (status: Status, text: Buffer) => void;
  readonly failed: (why: ThreadFailure) => void;
}

/** Why a call has no answer of the module. */
export type ThreadFailure =
  | { readonly kind: 'limit' }
  | { readonly kind: 'crash'; readonly problem: string }
  | { readonly kind: 'closed' };

export interface ThreadEvents {
  /** It can take calls: it has started, or its calls have ended. */
  readonly free: (thread: ModuleThread) => void;
  /** It does not exist any more. `again` were not begun; `ran` says that one of its calls was given up. */
  readonly ended: (thread: ModuleThread, again: readonly PendingCall[], why: ThreadFailure) => void;
  /** The module cannot be started in it. */
  readonly unusable: (thread: ModuleThread, problem: string) => void;
  readonly rebuilt: (times: number) => void;
  readonly printed: (lines: readonly string[], left: number) => void;
}

/** Milliseconds that a thread has to start, its module to compile there and to initialise. */
const startTime = 15_000;

/** One worker thread with one instance of a module. It does one call at a time, of those that it is given together. */
export class ModuleThread {
  readonly #worker: Worker;
  readonly #lane: Lane = createLane();
  readonly #inputs = Buffer.from(this.#lane.inputs);
  readonly #answers = Buffer.from(this.#lane.answers);
  readonly #states = new Int32Array(this.#lane.states);
  readonly #clock = new Float64Array(this.#lane.clock);
  readonly #events: ThreadEvents;
  /** Milliseconds for one call. */
  readonly #limit: number;
  /** Looks after the limit whether a call runs for that long; without calls it does nothing. */
  #timer: NodeJS.Timeout;
  readonly #shapes: CallShape[] = [];
  #calls: readonly PendingCall[] = [];
  /** Calls whose answers were handed over. */
  #settled = 0;
  #isReady = false;
  #why: ThreadFailure | undefined;

  constructor(name: string, data: Omit<ThreadData, 'lane'>, limit: number, events: ThreadEvents) {
    this.#limit = limit;
    this.#events = events;
    const workerData: ThreadData = { ...data, lane: this.#lane };
    this.#worker = new Worker(threadProgram(import.meta.url, 'module-worker'), {
      name,
      env: {},
      workerData,
      // Of values of the thread itself, which are few: the memory of the module has a limit of its own.
      resourceLimits: { maxOldGenerationSizeMb: 64 },
    });
    this.#worker
      .on('message', (message: FromThread) => this.#take(message))
      .on('error', (error: Error) => this.#end({ kind: 'crash', problem: error.message }))
      .on('exit', () => this.#gone());
    this.#clock[0] = steadyTime();
    this.#timer = setTimeout(() => this.#tooLong(), startTime);
  }

  get isFree(): boolean {
    return this.#isReady && this.#calls.length === 0 && this.#why === undefined;
  }

  /** Takes calls from the front of a list, as many as fit, and gives how many those are. */
  run(waiting: readonly PendingCall[], most: number): number {
    const first = waiting[0] as PendingCall;
    let count = 0;
    let large: Buffer | undefined;
    if (first.input.length > laneBytes) {
      large = first.input;
      count = 1;
    } else {
      let written = 0;
      const bound = Math.min(most, mostTogether, waiting.length);
      for (; count < bound; count++) {
        const { input } = waiting[count] as PendingCall;
        if (written + input.length > laneBytes) break;
        this.#inputs.set(input, written);
        written += input.length;
      }
    }
    this.#calls = waiting.slice(0, count);
    this.#settled = 0;
    Atomics.store(this.#states, 0, 0);
    this.#clock[0] = steadyTime();
    const known = this.#shapes.length;
    for (const [at, { shape, input }] of this.#calls.entries()) {
      const base = 1 + at * fields;
      this.#states[base] = this.#numberOf(shape);
      this.#states[base + 1] = input.length;
    }
    const shapes = this.#shapes.length > known ? this.#shapes : undefined;
    const batch: Batch = shapes === undefined && large === undefined ? count : { count, shapes, large };
    this.#worker.ref();
    this.#worker.postMessage(batch);
    this.#timer.refresh();
    return count;
  }

  #numberOf({ entry, convention }: CallShape): number {
    const known = this.#shapes.findIndex((shape) => shape.entry === entry && shape.convention === convention);
    return known >= 0 ? known : this.#shapes.push({ entry, convention }) - 1;
  }

  /** Ends it, whatever it does. Resolves when nothing of it is left. */
  async end(): Promise<void> {
    this.#end({ kind: 'closed' });
    await this.#worker.terminate();
  }

  #take(message: FromThread): void {
    if (this.#why !== undefined) return;
    if (typeof message === 'number') this.#settleAll(message);
    else if (message.kind === 'unusable') {
      clearTimeout(this.#timer);
      this.#why = { kind: 'closed' };
      this.#events.unusable(this, message.problem);
      void this.#worker.terminate();
      return;
    } else if (message.kind === 'done') this.#done(message);
    else {
      this.#isReady = true;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => this.#look(), this.#limit).unref();
    }
    if (this.#why !== undefined) return;
    this.#worker.unref();
    this.#events.free(this);
  }

  #done({ count, large, rebuilt, printed }: BatchDone): void {
    if (rebuilt > 0) this.#events.rebuilt(rebuilt);
    if (printed !== undefined) this.#events.printed(printed.lines, printed.left);
    this.#settleAll(count, large);
  }

  #settleAll(count: number, large?: Uint8Array): void {
    const calls = this.#calls;
    this.#settle(count, large);
    const again = calls.slice(count);
    this.#calls = [];
    if (again.length > 0) this.#events.ended(this, again, { kind: 'closed' });
  }

  /** Hands over the answers of the first calls. */
  #settle(count: number, large?: Uint8Array): void {
    for (; this.#settled < count; this.#settled++) {
      const { ended } = this.#calls[this.#settled] as PendingCall;
      const base = 1 + this.#settled * fields;
      const code = this.#states[base + 2] as Status;
      const start = this.#states[base + 3] as number;
      const length = this.#states[base + 4] as number;
      const isLarge = large !== undefined && this.#settled === count - 1;
      ended(code, isLarge ? Buffer.from(large) : this.#answers.subarray(start, start + length));
    }
  }

  /** Whether the call that runs has had its time. */
  #look(): void {
    if (this.#calls.length === 0 || this.#why !== undefined) return;
    const left = this.#limit - (steadyTime() - (this.#clock[0] as number));
    if (left <= 0.5) return this.#tooLong();
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#look(), Math.ceil(left)).unref();
  }

  #tooLong(): void {
    this.#end({ kind: 'limit' });
  }

  #end(why: ThreadFailure): void {
    if (this.#why !== undefined) return;
    this.#why = why;
    clearTimeout(this.#timer);
    this.#worker.unref();
    void this.#worker.terminate();
  }

  /** The thread has ended: its answers are final, so that it is known which call ran, which had ended and which had not begun. */
  #gone(): void {
    clearTimeout(this.#timer);
    const why = (this.#why ??= { kind: 'crash', problem: 'its thread ended' });
    const calls = this.#calls;
    this.#settle(Math.min(Atomics.load(this.#states, 0), calls.length));
    const running = calls[this.#settled];
    running?.failed(why);
    this.#calls = [];
    this.#events.ended(this, calls.slice(this.#settled + 1), why);
  }
}
