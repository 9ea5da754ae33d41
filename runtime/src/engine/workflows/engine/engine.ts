import { randomUUID } from 'node:crypto';
import type { Runner } from '../../../foundation/contracts/plan.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { advance } from '../execute.ts';
import { type HiddenValues, stricter } from '../hidden-values.ts';
import type { SagaProgram, SagaState } from '../program.ts';
import { type Claim, type Lease, type StoredWorkflow, type WorkflowStore, wakeTime } from '../store/store.ts';
import { StoreClock } from '../store/store-clock.ts';
import { hasEnded } from '../transitions.ts';
import { Alarm } from './alarm.ts';
import { align } from './align.ts';
import { withoutCredentials } from './credentials.ts';
import { Halt, WorkflowJournal } from './journal.ts';
import { keepNew } from './keep.ts';
import { type WorkflowFamilies, WorkflowMetrics } from './metrics.ts';
import { renewLeases } from './renewal.ts';
import { type Held, takeUp } from './take-up.ts';

export interface EngineOptions {
  readonly store: WorkflowStore;
  /** Every saga of the configuration by name; complete when the engine starts. */
  readonly programs: ReadonlyMap<string, SagaProgram>;
  /** What expressions read as `constants`. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** What the rules of the configuration read of what is hidden. */
  readonly hidden: () => HiddenValues | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly families: WorkflowFamilies;
  /** Milliseconds after which the instances of a dead process are taken over by another. */
  readonly lease: number;
  /** Milliseconds that steps in progress may take when the engine stops. */
  readonly stopTime: number;
  /** Milliseconds between polls of the store. Default: 5 s. */
  readonly poll?: number;
  /** Instances that run at a time. Default: 50. */
  readonly concurrency?: number;
}

/** Milliseconds in which what was cut off may still settle. */
const noticeTime = 500;
/** Milliseconds between counts of everything in progress. */
const countTime = 30_000;
/** At first the store is polled more often: another generation or process may just be releasing instances. */
const eager = [100, 250, 500, 1000, 2000];
/** Milliseconds until an instance that another process holds is checked again. */
const busyTime = 250;

/**
 * Runs the instances of one process: those that begin here at once, and what is due in the store. Each is held under a
 * lease that is renewed while it runs, so that one process runs it and another takes over when this one dies.
 */
export class WorkflowEngine implements Runner {
  readonly name = 'workflows';
  readonly #options: EngineOptions;
  readonly #owner = randomUUID();
  readonly #metrics: WorkflowMetrics;
  /** What runs here by id, until it ends, waits or is released. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #alarm: Alarm;
  readonly #clock: StoreClock;
  /** Nothing more is started. */
  readonly #end = new AbortController();
  /** Leases are no longer renewed. */
  readonly #over = new AbortController();
  /** What is in progress is cut off. */
  readonly #cut = new AbortController();
  /** What this engine may still hold without running it, since the store did not answer: released when it does. */
  readonly #orphans = new Set<string>();
  /** Sagas and instances that were already logged as suspended. */
  readonly #logged = new Set<string>();
  #ready: Promise<void> | undefined;
  /** Instances that are being saved and run afterwards. */
  readonly #beginning = new Set<Promise<void>>();
  #polling: Promise<void> = Promise.resolve();
  #storeAway = false;
  #polls = 0;
  #counted = Number.NEGATIVE_INFINITY;

  constructor(options: EngineOptions) {
    this.#clock = new StoreClock(options.clock, options.store);
    this.#options = { ...options, clock: this.#clock };
    this.#alarm = new Alarm(this.#clock);
    this.#metrics = new WorkflowMetrics(options.families);
  }

  async start(): Promise<void> {
    await this.#prepared();
    this.#polling = this.#pollLoop();
    const ids = () => [...this.#running.keys()];
    void renewLeases({ ...this.#options, ids, lease: () => this.#lease() }, this.#options.lease / 3, this.#over.signal);
  }

  /**
   * Lets steps in progress finish within their time. Instances are saved and released for other processes, or this one
   * after a restart; none is cancelled or undone.
   */
  async stop(): Promise<void> {
    const { clock, stopTime } = this.#options;
    this.#end.abort();
    this.#alarm.set(clock.now());
    const settled = (async () => {
      await this.#polling;
      while (this.#running.size + this.#beginning.size > 0)
        await Promise.allSettled([...this.#running.values(), ...this.#beginning]);
    })();
    const wait = (time: number) => clock.sleep(time, this.#over.signal);
    const late = wait(stopTime)
      .then(() => {
        this.#cut.abort(new Failure('cancelled', 'the service is shutting down'));
        return wait(noticeTime);
      })
      .catch(() => undefined);
    await Promise.race([settled, late]);
    this.#over.abort();
  }

  /** Keeps a new instance and begins to run it. Rejects with `store_unavailable` when it cannot be kept. */
  readonly begin = async (given: SagaState): Promise<void> => {
    const program = this.#options.programs.get(given.saga);
    if (program === undefined) throw new Failure('internal', `there is no saga "${given.saga}"`);
    const state = { ...given, input: withoutCredentials(given.input), hidden: this.#options.hidden(), history: [] };
    if (this.#stopping || this.#room <= 0) return this.#keep(state, program, false);
    const keeping = this.#keep(state, program, true);
    this.#beginning.add(keeping);
    try {
      await keeping;
    } finally {
      this.#beginning.delete(keeping);
    }
    this.#run({ state, cancelRequested: false, version: 1 }, program);
  };

  /** Polls the store at once: something may have become due. */
  readonly wake = (): void => this.#alarm.set(this.#options.clock.now());

  /** How many more instances may run. */
  get #room(): number {
    return (this.#options.concurrency ?? 50) - this.#running.size - this.#beginning.size;
  }

  get #stopping(): boolean {
    return this.#end.signal.aborted;
  }

  #lease(): Lease {
    return { owner: this.#owner, until: this.#options.clock.now() + this.#options.lease };
  }

  /** The tables exist. A failure is not kept: the next caller tries again. */
  #prepared(): Promise<void> {
    const prepare = async () => {
      await this.#options.store.prepare();
      await this.#clock.synchronise();
    };
    this.#ready ??= prepare().catch((error: unknown) => {
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }

  /** `isOwn`: this engine runs it. */
  #keep(state: SagaState, program: SagaProgram, isOwn: boolean): Promise<void> {
    const { store, clock } = this.#options;
    const name = program.steps[state.step]?.name;
    return keepNew(state, clock, async (isAgain) => {
      await this.#prepared();
      // The change may have succeeded although its answer was lost.
      if (!isAgain || (await store.get(state.id)) === undefined)
        await store.create(state, name, isOwn ? this.#lease() : undefined);
    });
  }

  #run(held: Held, program: SagaProgram): void {
    const { id } = held.state;
    const done = this.#drive(held, program)
      .catch((error: unknown) => {
        // A store that stays unavailable is logged by its caller. Other errors are defects, which would only recur.
        if (error instanceof Halt || error instanceof Failure) return void this.#orphans.add(id);
        const fields = { workflow: id, saga: program.name, error };
        this.#options.log.error('a workflow stopped unexpectedly; it is tried again when its lease ends', fields);
      })
      .finally(() => {
        this.#running.delete(id);
        this.#metrics.running(this.#running.size);
        this.#next(held.state);
      });
    this.#running.set(id, done);
    this.#metrics.running(this.#running.size);
  }

  /** A slot is free, and the instance may have set when it continues. */
  #next(state: SagaState): void {
    const { clock } = this.#options;
    if (this.#room === 1) this.wake();
    const time = state.status === 'waiting' ? wakeTime(state) : undefined;
    if (time !== undefined) this.#alarm.set(Math.max(time, clock.now()));
  }

  async #drive(held: Held, program: SagaProgram): Promise<void> {
    const { state } = held;
    const { store, clock, log, lease, constants } = this.#options;
    const own = { lease: () => this.#lease(), saveTimeout: lease * 0.8, stopping: () => this.#stopping };
    state.hidden = stricter(state.hidden, this.#options.hidden());
    const journal = new WorkflowJournal(held, { program, store, clock, log, ...own });
    try {
      await takeUp(held, store, journal);
      if (this.#stopping && state.status !== 'waiting') throw new Halt('stopping');
      const around = { journal, clock, log, constants, failed: journal.failed };
      await advance(this.#metrics.counted(program), state, around, this.#cut.signal);
      // It was claimed unnecessarily, for example because another process had taken up the signal: it continues to
      // wait.
      if (state.status === 'waiting' && !journal.saved) await journal.save(state);
    } catch (error) {
      if (!(error instanceof Halt) || error.reason === 'lost') throw error;
    }
    if (hasEnded(state)) this.#finished(state);
    else if (state.status !== 'waiting') await this.#giveBack(state, journal.version);
    // A signal that came while the wait was saved is found at the next poll in any case.
    else if (state.awaiting !== undefined && (await this.#isSignalled(state.id, state.awaiting))) this.wake();
  }

  #isSignalled(id: string, event: string): Promise<boolean> {
    return this.#options.store.pendingSignal(id, event).then(
      (body) => body !== undefined,
      () => false,
    );
  }

  #finished(state: SagaState): void {
    this.#metrics.finished(state);
    if (state.status === 'compensation_failed')
      this.#options.log.error('a workflow could not be undone', {
        workflow: state.id,
        saga: state.saga,
        errors: state.compensationErrors,
      });
  }

  async #giveBack(state: SagaState, version: number): Promise<void> {
    const { store, clock, log } = this.#options;
    try {
      await store.release(state.id, { owner: this.#owner, version }, clock.now());
    } catch (error) {
      this.#orphans.add(state.id);
      log.warn('a workflow could not be released; it continues when its lease ends', { workflow: state.id, error });
    }
  }

  async #giveBackOrphans(): Promise<void> {
    const { store, clock } = this.#options;
    for (const id of this.#orphans) {
      const stored = this.#running.has(id) ? undefined : await store.get(id);
      if (stored?.owner === this.#owner)
        await store.release(id, { owner: this.#owner, version: stored.version }, clock.now());
      this.#orphans.delete(id);
    }
  }

  async #pollLoop(): Promise<void> {
    const { clock, poll = 5000 } = this.#options;
    while (!this.#stopping) {
      this.#alarm.reset();
      const pause = Math.min(eager[this.#polls++] ?? poll, poll);
      // Processes that were started together do not poll at the same time.
      this.#alarm.set(clock.now() + Math.round(pause * (0.8 + 0.4 * Math.random())));
      try {
        await this.#pollOnce();
        if (this.#storeAway) this.#options.log.info('the store of workflows answers again');
        this.#storeAway = false;
      } catch (error) {
        if (!this.#storeAway) this.#options.log.error('the store of workflows does not answer', { error });
        this.#storeAway = true;
      }
      if (!this.#stopping) await this.#alarm.rest();
    }
  }

  async #pollOnce(): Promise<void> {
    const { store, clock, programs } = this.#options;
    const sagas = [...programs.keys()];
    await this.#clock.synchronise();
    await this.#giveBackOrphans();
    const now = clock.now();
    const limit = this.#room;
    const claimed = await this.#claim({ sagas, now, limit });
    for (const stored of claimed) this.#takeOver(stored);
    // When all slots are taken, the first instance that ends causes another poll.
    if (claimed.length < limit) {
      const next = await store.nextWake(sagas);
      // What should be due and could not be claimed is held by another process.
      if (next !== undefined) this.#alarm.set(next > now ? next : now + busyTime);
    }
    if (clock.elapsed() - this.#counted >= countTime) await this.#count();
  }

  async #claim(claim: Pick<Claim, 'sagas' | 'now' | 'limit'>): Promise<readonly StoredWorkflow[]> {
    const tried: string[] = [];
    try {
      const trying = (id: string) => void tried.push(id);
      return await this.#options.store.claim({ ...claim, lease: this.#lease(), trying });
    } catch (error) {
      for (const id of tried) this.#orphans.add(id);
      throw error;
    }
  }

  #takeOver(stored: StoredWorkflow): void {
    const { state, stepName } = stored;
    // It is just ending here, or has lost its lease: then its next save is refused.
    const before = this.#running.get(state.id);
    if (before !== undefined) return void before.then(() => this.#takeOver(stored));
    const program = this.#options.programs.get(state.saga) as SagaProgram;
    // Undoing uses the names of the steps that were done.
    if (align(state, stepName, program) || stored.cancelRequested) return this.#run(stored, program);
    this.#logOnce(state.id, 'a workflow is suspended: its saga no longer has its present step', {
      workflow: state.id,
      saga: state.saga,
      step: stepName,
    });
  }

  /** Counts what is in progress, and logs sagas that this configuration does not have. */
  async #count(): Promise<void> {
    const { store, clock, programs } = this.#options;
    const counts = await store.counts();
    this.#counted = clock.elapsed();
    this.#metrics.active(counts, programs.keys());
    for (const { saga, count } of counts)
      if (!programs.has(saga))
        this.#logOnce(saga, 'workflows are suspended: the configuration has no such saga', { saga, workflows: count });
  }

  #logOnce(key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#logged.has(key)) return;
    this.#logged.add(key);
    this.#options.log.warn(message, fields);
  }
}
