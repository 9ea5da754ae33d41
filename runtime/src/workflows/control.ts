import { Failure } from '../errors/failure.ts';
import type { Clock } from '../observe/clock.ts';
import type { SagaStatus, SagaStep } from './program.ts';
import type { StoredWorkflow, WorkflowFilter, WorkflowPage, WorkflowStore } from './store.ts';
import { hasEnded } from './transitions.ts';

/** What is known of a saga by those who do not run it. */
export interface SagaOutline {
  readonly steps: readonly Pick<SagaStep, 'name' | 'await'>[];
}

export interface ControlOptions {
  readonly store: WorkflowStore;
  /** The sagas of the configuration by name. */
  readonly sagas: ReadonlyMap<string, SagaOutline>;
  readonly clock: Clock;
  /** Told when an instance may have something to do now. */
  readonly changed: () => void;
}

/** The answer to a signal or a cancellation, in the words of document 1. */
export interface ControlAnswer {
  readonly workflow_id: string;
  readonly status: SagaStatus;
  readonly message: string;
}

/**
 * What people and programs do with workflows from outside: the HTTP interface and `svc workflows` are made of it. Whoever
 * runs the instance hears of it through the store. Rejects with `not_found` for ids that do not exist, and with
 * `workflow_conflict` for what the instance has no use for.
 */
export class WorkflowControl {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  async get(id: string): Promise<StoredWorkflow> {
    // Databases do not even look for such a text.
    const stored = id.includes('\0') ? undefined : await this.#options.store.get(id);
    if (stored === undefined) throw new Failure('not_found', `there is no workflow "${id}"`);
    return stored;
  }

  list(filter: WorkflowFilter): Promise<WorkflowPage> {
    return this.#options.store.list(filter);
  }

  /** Hands a signal to the instance: it goes on at once when it waits for the event, or does not wait when it gets there. */
  async signal(id: string, event: string, body: Readonly<Record<string, unknown>>): Promise<ControlAnswer> {
    const { store, clock, changed } = this.#options;
    const stored = await this.get(id);
    this.#refuseUnknown(stored);
    this.#refuseUnwanted(stored, event);
    const answer = await store.signal(id, event, body, clock.now());
    if (answer === 'already')
      throw new Failure('workflow_conflict', `the event "${event}" of workflow "${id}" was signalled before`);
    // It ended between the two looks.
    if (answer !== 'kept') throw conflict(await this.get(id), event);
    changed();
    const isWaiting = stored.state.status === 'waiting' && stored.state.awaiting === event;
    return {
      workflow_id: id,
      status: isWaiting ? 'running' : stored.state.status,
      message: isWaiting
        ? `the event "${event}" was taken, the workflow goes on`
        : `the event "${event}" is kept until the workflow waits for it`,
    };
  }

  /** Asks for the cancellation of an instance; asking again changes nothing. */
  async cancel(id: string): Promise<ControlAnswer> {
    const { store, clock, changed } = this.#options;
    this.#refuseUnknown(await this.get(id));
    const asked = await store.requestCancel(id, clock.now());
    if (asked) changed();
    else {
      const stored = await this.get(id);
      const { status, ending } = stored.state;
      const isAsked = status === 'compensating' ? ending === 'cancelled' : stored.cancelRequested;
      if (hasEnded(stored.state) || !isAsked) throw conflict(stored, undefined);
    }
    return {
      workflow_id: id,
      status: 'cancelled',
      message: 'the workflow is cancelled; its completed steps are undone in reverse order',
    };
  }

  /** Nobody would take it up. */
  #refuseUnknown({ state: { id, saga } }: StoredWorkflow): void {
    if (this.#options.sagas.has(saga)) return;
    const text = `workflow "${id}" is left alone: the configuration has no saga "${saga}"`;
    throw new Failure('workflow_conflict', text);
  }

  #refuseUnwanted(stored: StoredWorkflow, event: string): void {
    const { state, stepName } = stored;
    if (state.status !== 'running' && state.status !== 'waiting') throw conflict(stored, event);
    if (stepName === undefined) throw conflict(stored, event);
    const steps = this.#options.sagas.get(state.saga)?.steps;
    const at = steps?.findIndex(({ name }) => name === stepName) ?? -1;
    if (at < 0) {
      const text = `workflow "${state.id}" is left alone: the saga "${state.saga}" has no step "${stepName}"`;
      throw new Failure('workflow_conflict', text);
    }
    const isAhead = steps?.slice(at).some((step) => step.await === event) === true;
    if (state.awaiting === event || isAhead) return;
    throw conflict(stored, event);
  }
}

/** Why nothing can be done with an instance as it stands. */
function conflict({ state, stepName }: StoredWorkflow, event: string | undefined): Failure {
  const { id, status, awaiting } = state;
  if (hasEnded(state)) return new Failure('workflow_conflict', `workflow "${id}" has ended: it is ${status}`);
  if (status === 'compensating') return new Failure('workflow_conflict', `workflow "${id}" is being undone`);
  if (stepName === undefined)
    return new Failure('workflow_conflict', `workflow "${id}" is about to end: all of its steps are done`);
  const instead =
    status !== 'waiting' || awaiting === undefined ? `is at step "${stepName}"` : `waits for "${awaiting}"`;
  return new Failure('workflow_conflict', `workflow "${id}" has no use for the event "${event ?? ''}": it ${instead}`);
}
