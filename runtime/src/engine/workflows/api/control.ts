import { Failure } from '../../../foundation/errors/failure.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { SagaStatus, SagaStep } from '../program.ts';
import type { StoredWorkflow, WorkflowFilter, WorkflowPage, WorkflowStore } from '../store/store.ts';
import { hasEnded } from '../transitions.ts';

/** The properties of a saga that code outside the engine needs. */
export interface SagaOutline {
  readonly steps: readonly Pick<SagaStep, 'name' | 'await'>[];
}

export interface ControlOptions {
  readonly store: WorkflowStore;
  /** The sagas of the configuration by name. */
  readonly sagas: ReadonlyMap<string, SagaOutline>;
  readonly clock: Clock;
  /** Called when an instance may have something to do now. */
  readonly changed: () => void;
}

/** The answer to a signal or a cancellation. */
export interface ControlAnswer {
  readonly workflow_id: string;
  readonly status: SagaStatus;
  readonly message: string;
}

/**
 * Operations on workflows from outside: the HTTP interface and `svc workflows` are built on it. The process that runs
 * the instance receives them through the store. Rejects with `not_found` for ids that do not exist, and with
 * `workflow_conflict` for operations that the status of the instance does not permit.
 */
export class WorkflowControl {
  readonly #options: ControlOptions;

  constructor(options: ControlOptions) {
    this.#options = options;
  }

  async get(id: string): Promise<StoredWorkflow> {
    // Databases refuse such a text in a query.
    const stored = id.includes('\0') ? undefined : await this.#options.store.get(id);
    if (stored === undefined) throw new Failure('not_found', `there is no workflow "${id}"`);
    return stored;
  }

  list(filter: WorkflowFilter): Promise<WorkflowPage> {
    return this.#options.store.list(filter);
  }

  /**
   * Delivers a signal to the instance: it continues at once when it waits for the event; otherwise the signal is kept,
   * and the instance does not wait when it reaches that step.
   */
  async signal(id: string, event: string, body: Readonly<Record<string, unknown>>): Promise<ControlAnswer> {
    const { store, clock, changed } = this.#options;
    const stored = await this.get(id);
    this.#refuseUnknown(stored);
    this.#refuseUnwanted(stored, event);
    const answer = await store.signal(id, event, body, clock.now());
    if (answer === 'already')
      throw new Failure('workflow_conflict', `the event "${event}" of workflow "${id}" was signalled before`);
    // It ended between the two queries.
    if (answer !== 'kept') throw conflict(await this.get(id), event);
    changed();
    const isWaiting = stored.state.status === 'waiting' && stored.state.awaiting === event;
    return {
      workflow_id: id,
      status: isWaiting ? 'running' : stored.state.status,
      message: isWaiting
        ? `the event "${event}" was received, the workflow continues`
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

  /** No process would take it up. */
  #refuseUnknown({ state: { id, saga } }: StoredWorkflow): void {
    if (this.#options.sagas.has(saga)) return;
    const text = `workflow "${id}" is suspended: the configuration has no saga "${saga}"`;
    throw new Failure('workflow_conflict', text);
  }

  #refuseUnwanted(stored: StoredWorkflow, event: string): void {
    const { state, stepName } = stored;
    if (state.status !== 'running' && state.status !== 'waiting') throw conflict(stored, event);
    if (stepName === undefined) throw conflict(stored, event);
    const steps = this.#options.sagas.get(state.saga)?.steps;
    const at = steps?.findIndex(({ name }) => name === stepName) ?? -1;
    if (at < 0) {
      const text = `workflow "${state.id}" is suspended: the saga "${state.saga}" has no step "${stepName}"`;
      throw new Failure('workflow_conflict', text);
    }
    const isAhead = steps?.slice(at).some((step) => step.await === event) === true;
    if (state.awaiting === event || isAhead) return;
    throw conflict(stored, event);
  }
}

/** Why the operation is not possible in the present status of an instance. */
function conflict({ state, stepName }: StoredWorkflow, event: string | undefined): Failure {
  const { id, status, awaiting } = state;
  if (hasEnded(state)) return new Failure('workflow_conflict', `workflow "${id}" has ended: it is ${status}`);
  if (status === 'compensating') return new Failure('workflow_conflict', `workflow "${id}" is being undone`);
  if (stepName === undefined)
    return new Failure('workflow_conflict', `workflow "${id}" is about to end: all of its steps are done`);
  const instead =
    status !== 'waiting' || awaiting === undefined ? `is at step "${stepName}"` : `waits for "${awaiting}"`;
  return new Failure(
    'workflow_conflict',
    `workflow "${id}" does not wait for the event "${event ?? ''}": it ${instead}`,
  );
}
