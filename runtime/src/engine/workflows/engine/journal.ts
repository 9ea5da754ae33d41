import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { SagaJournal, SagaProgram, SagaState } from '../program.ts';
import type { Lease, StoredWorkflow, WorkflowStore } from '../store/store.ts';
import { cancel } from '../transitions.ts';
import { History } from './history.ts';

/** Milliseconds between tries of a save that the store did not answer; the last one repeats. */
const pauses = [100, 250, 500, 1000];

/**
 * Why an instance stops in this process, as it is logged when necessary: `lost`, it may not or cannot be saved here;
 * `stopping`, its state is safe and other processes continue it.
 */
export class Halt extends Error {
  override readonly name = 'Halt';
  readonly reason: 'lost' | 'stopping';

  constructor(reason: 'lost' | 'stopping') {
    super(`the instance stops here: ${reason}`);
    this.reason = reason;
  }
}

export interface JournalOptions {
  readonly program: SagaProgram;
  readonly store: WorkflowStore;
  readonly clock: Clock;
  readonly log: Log;
  readonly lease: () => Lease;
  /** Milliseconds for which a save is tried: no longer than the lease lasts. */
  readonly saveTimeout: number;
  /** Whether the engine ends: then nothing more is done after a save. */
  readonly stopping: () => boolean;
}

/**
 * Saves one instance for the process that holds its lease. When its cancellation was requested meanwhile, the state
 * becomes one that is undone. A save rejects with a `Halt` when the instance has to stop here: another process has
 * taken it over, the store stays unavailable, or the engine ends.
 */
export class WorkflowJournal implements SagaJournal {
  readonly #options: JournalOptions;
  readonly #history: History;
  #version: number;
  #lost = false;
  #saved = false;

  constructor({ version, state }: Pick<StoredWorkflow, 'version' | 'state'>, options: JournalOptions) {
    this.#version = version;
    this.#options = options;
    this.#history = new History(state, options.program);
  }

  /** Notes for the history that an action was tried without success. */
  readonly failed = (): void => this.#history.failed();

  /** The last saved state. */
  get version(): number {
    return this.#version;
  }

  /** Whether anything was saved since the instance was taken. */
  get saved(): boolean {
    return this.#saved;
  }

  readonly save = (state: SagaState): Promise<void> => this.#save(state, undefined);

  /** Saves a state that has taken up the signal of an event. */
  saveTaking(state: SagaState, event: string): Promise<void> {
    return this.#save(state, event);
  }

  async #save(state: SagaState, taken: string | undefined): Promise<void> {
    if (this.#lost) throw new Halt('lost');
    const unlessCancelled = state.status === 'running' || state.status === 'waiting';
    this.#history.add(state, this.#options.clock.now(), taken !== undefined);
    let answer = await this.#ask(state, { unlessCancelled, taken });
    if (answer === 'cancel_requested') {
      cancel(state);
      this.#history.add(state, this.#options.clock.now(), false);
      answer = await this.#ask(state, { unlessCancelled: false, taken });
    }
    if (answer !== 'kept') {
      this.#options.log.warn('a workflow was taken over by another process', { workflow: state.id, saga: state.saga });
      throw this.#lose();
    }
    this.#version++;
    this.#saved = true;
    const continues = state.status === 'running' || state.status === 'compensating';
    if (continues && this.#options.stopping()) throw new Halt('stopping');
  }

  /** Retries until the store answers, as long as the lease may last. */
  async #ask(state: SagaState, asked: { readonly unlessCancelled: boolean; readonly taken: string | undefined }) {
    const { program, store, clock, log, lease, saveTimeout } = this.#options;
    const workflow = { state, stepName: program.steps[state.step]?.name, version: this.#version };
    const began = clock.elapsed();
    for (let tried = 0; ; tried++) {
      try {
        return await store.save(workflow, { ...asked, lease: lease(), now: clock.now() });
      } catch (error) {
        const fields = { workflow: state.id, saga: state.saga, error };
        if (tried === 0) log.warn('a workflow cannot be saved; trying again', fields);
        const pause = pauses[Math.min(tried, pauses.length - 1)] as number;
        if (clock.elapsed() - began + pause > saveTimeout) {
          log.error('a workflow stops here, as it cannot be saved; it continues from its last save', fields);
          throw this.#lose();
        }
        await clock.sleep(pause);
      }
    }
  }

  #lose(): Halt {
    this.#lost = true;
    return new Halt('lost');
  }
}
