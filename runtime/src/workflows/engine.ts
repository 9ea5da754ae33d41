import { randomUUID } from 'node:crypto';
import type { Runner } from '../contracts/plan.ts';
import { Failure } from '../errors/failure.ts';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import { Alarm } from './alarm.ts';
import { align } from './align.ts';
import { withoutCredentials } from './credentials.ts';
import { advance } from './execute.ts';
import { Halt, WorkflowJournal } from './journal.ts';
import { keepNew } from './keep.ts';
import { type WorkflowFamilies, WorkflowMetrics } from './metrics.ts';
import type { SagaProgram, SagaState } from './program.ts';
import { renewLeases } from './renewal.ts';
import { type Claim, type Lease, type StoredWorkflow, type WorkflowStore, wakeTime } from './store.ts';
import { StoreClock } from './store-clock.ts';
import { type Held, takeUp } from './take-up.ts';
import { hasEnded } from './transitions.ts';

export interface EngineOptions {
  readonly store: WorkflowStore;
  /** Every saga of the configuration by name; whole when the engine starts. */
  readonly programs: ReadonlyMap<string, SagaProgram>;
  /** What expressions read as `constants`. */
  readonly constants: Readonly<Record<string, unknown>>;
  readonly clock: Clock;
  readonly log: Log;
  readonly families: WorkflowFamilies;
  /** Milliseconds after which what a dead process ran is taken by another. */
  readonly lease: number;
  /** Milliseconds that steps under way may take when the engine stops. */
  readonly stopTime: number;
  /** Milliseconds between looks into the store. Default: 5 s. */
  readonly poll?: number;
  /** Instances that run at a time. Default: 50. */
  readonly concurrency?: number;
}

/** Milliseconds in which what was cut off may still settle. */
const noticeTime = 500;
/** Milliseconds between counts of everything that is under way. */
const countTime = 30_000;
/** At first the store is asked more often: another generation or process may just be handing over. */
const eager = [100, 250, 500, 1000, 2000];
/** Milliseconds until what another process holds is looked at again. */
const busyTime = 250;

/**
 * Runs the instances of one process: those that begin here at once, and what is due in the store. Each is held under a
 * lease that is renewed while it runs, so that one process runs it and another goes on with it when this one dies.
 */
export class WorkflowEngine implements Runner {
  readonly name = 'workflows';
  readonly #options: EngineOptions;
  readonly #owner = randomUUID();
  readonly #metrics: WorkflowMetrics;
  /** What runs here by id, until it ends, waits or is given back. */
  readonly #running = new Map<string, Promise<void>>();
  readonly #alarm: Alarm;
  readonly #clock: StoreClock;
  /** Nothing more is begun. */
  readonly #end = new AbortController();
  /** Leases are renewed no longer. */
  readonly #over = new AbortController();
  /** What is under way is cut. */
  readonly #cut = new AbortController();
  /** What this engine may still hold without running it, since the store did not answer: given back when it does. */
  readonly #orphans = new Set<string>();
  /** Sagas and instances that were told to be left alone. */
  readonly #told = new Set<string>();
  #ready: Promise<void> | undefined;
  /** Instances that are being kept and run then. */
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
   * Lets steps under way finish within their time. Instances are saved and given back for other processes, or this one
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
    const state = { ...given, input: withoutCredentials(given.input) };
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

  /** Looks into the store at once: something may have become due. */
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

  /** The tables are there. A failure is not kept: the next one who asks tries again. */
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
      // An answer that was lost may hide that it worked.
      if (!isAgain || (await store.get(state.id)) === undefined)
        await store.create(state, name, isOwn ? this.#lease() : undefined);
    });
  }

  #run(held: Held, program: SagaProgram): void {
    const { id } = held.state;
    const done = this.#drive(held, program)
      .catch((error: unknown) => {
        // A store that stays away is told by whoever asked it. Other errors are defects, which would only come again.
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

  /** Room is free, and the instance may have told when it goes on. */
  #next(state: SagaState): void {
    const { clock } = this.#options;
    if (this.#room === 1) this.wake();
    const time = state.status === 'waiting' ? wakeTime(state) : undefined;
    if (time !== undefined) this.#alarm.set(Math.max(time, clock.now()));
  }

  async #drive(held: Held, program: SagaProgram): Promise<void> {
    const { state } = held;
    const { store, clock, log, lease, constants } = this.#options;
    const own = { lease: () => this.#lease(), patience: lease * 0.8, stopping: () => this.#stopping };
    const journal = new WorkflowJournal(held, { program, store, clock, log, ...own });
    try {
      await takeUp(held, store, journal);
      if (this.#stopping && state.status !== 'waiting') throw new Halt('stopping');
      await advance(this.#metrics.counted(program), state, { journal, clock, log, constants }, this.#cut.signal);
      // It was taken for nothing, such as a signal that somebody else had taken up: it waits on.
      if (state.status === 'waiting' && !journal.saved) await journal.save(state);
    } catch (error) {
      if (!(error instanceof Halt) || error.reason === 'lost') throw error;
    }
    if (hasEnded(state)) this.#finished(state);
    else if (state.status !== 'waiting') await this.#giveBack(state, journal.version);
    // What came while the wait was saved is found at the next look in any case.
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
      log.warn('a workflow could not be given back; it goes on when its lease ends', { workflow: state.id, error });
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
      // Processes that were started together do not ask together.
      this.#alarm.set(clock.now() + pause * (0.8 + 0.4 * Math.random()));
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
    // When all room is taken, whoever ends first looks again.
    if (claimed.length < limit) {
      const next = await store.nextWake(sagas);
      // What should be due and was not to be had is held by another process.
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
    // It is just ending here, or had lost its lease: then its next save is refused.
    const before = this.#running.get(state.id);
    if (before !== undefined) return void before.then(() => this.#takeOver(stored));
    const program = this.#options.programs.get(state.saga) as SagaProgram;
    // Undoing goes by the names of the steps that were done.
    if (align(state, stepName, program) || stored.cancelRequested) return this.#run(stored, program);
    this.#tell(state.id, 'a workflow is left alone: its saga no longer has the step that it stands at', {
      workflow: state.id,
      saga: state.saga,
      step: stepName,
    });
  }

  /** Counts what is under way, and tells of sagas that this configuration does not have. */
  async #count(): Promise<void> {
    const { store, clock, programs } = this.#options;
    const counts = await store.counts();
    this.#counted = clock.elapsed();
    this.#metrics.active(counts, programs.keys());
    for (const { saga, count } of counts)
      if (!programs.has(saga))
        this.#tell(saga, 'workflows are left alone: the configuration has no such saga', { saga, workflows: count });
  }

  #tell(key: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#told.has(key)) return;
    this.#told.add(key);
    this.#options.log.warn(message, fields);
  }
}
