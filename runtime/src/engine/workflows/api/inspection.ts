import type { WorkflowDetail, WorkflowEntry, WorkflowFlow, WorkflowStep, WorkflowsEntry } from '@svc/protocol/wire';
import type {
  KeptWorkflow,
  PlanWorkflows,
  WorkflowAnswer,
  WorkflowsAsked,
} from '../../../foundation/contracts/operations.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { SagaProgram, SagaState, SagaStep } from '../program.ts';
import { stateFromText } from '../store/state-text.ts';
import type { BriefWorkflow, WorkflowStore } from '../store/store.ts';
import { hasEnded, wasSkipped } from '../transitions.ts';
import type { WorkflowControl } from './control.ts';
import { signalBody } from './signal-body.ts';
import { briefViewOf, iso } from './view.ts';

/** Characters of the payload of a signal, as the HTTP interface takes them. */
const longestPayload = 1_048_576;

export interface InspectionOptions {
  /** The connector. */
  readonly storage: string;
  readonly store: WorkflowStore;
  readonly programs: ReadonlyMap<string, SagaProgram>;
  readonly control: WorkflowControl;
}

/** What debuggers see of workflows, over the store; they change them as the HTTP interface does. */
export class WorkflowInspection implements PlanWorkflows {
  readonly #options: InspectionOptions;

  constructor(options: InspectionOptions) {
    this.#options = options;
  }

  get storage(): string {
    return this.#options.storage;
  }

  flows(): readonly WorkflowFlow[] {
    const kept = [...this.#options.programs.values()].filter(({ pauses }) => pauses);
    return kept.map(({ name, steps }) => ({ name, events: eventsOf(steps) }));
  }

  async list({ flow, status, limit, before }: WorkflowsAsked): Promise<Pick<WorkflowsEntry, 'workflows' | 'next'>> {
    const { workflows, next } = await this.#options.store.brief({ saga: flow, status, limit, after: before });
    return { workflows: workflows.map(entryOf), next: next ?? null };
  }

  async counts(): Promise<WorkflowsEntry['counts']> {
    const counts = await this.#options.store.counts();
    return counts.map(({ saga, status, count }) => ({ flow: saga, status, count }));
  }

  async read(id: string): Promise<KeptWorkflow> {
    const stored = await this.#options.control.get(id);
    const { state, stepName } = stored;
    const steps = this.#options.programs.get(state.saga)?.steps ?? [];
    const at = steps.findIndex(({ name }) => name === stepName);
    const canContinue = state.status === 'running' || state.status === 'waiting';
    const workflow: WorkflowDetail = {
      ...entryOf(stored),
      steps: steps.map((step, index) => stepOf(step, index, state)),
      history: (state.history ?? []).map(({ at, kind, step, tries }) => ({
        at: iso(at),
        kind,
        step: step ?? null,
        tries: tries ?? null,
      })),
      error: state.error ?? null,
      compensationErrors: state.compensationErrors,
      events: canContinue && at >= 0 ? eventsOf(steps.slice(at)) : [],
      input: state.input,
      results: state.results,
      signal: state.signal ?? null,
    };
    return { workflow, auth: state.auth, hidden: state.hidden };
  }

  async signal(id: string, event: string, body: unknown): Promise<WorkflowAnswer> {
    const text = JSON.stringify(body ?? {});
    if (text.length > longestPayload)
      throw new Failure('value_refused', `the payload of a signal has ${longestPayload} characters at most`);
    // Numbers become what they are in a body of the HTTP interface.
    const { status, message } = await this.#options.control.signal(id, event, signalBody(stateFromText(text)));
    return { status, message };
  }

  async cancel(id: string): Promise<WorkflowAnswer> {
    const { status, message } = await this.#options.control.cancel(id);
    return { status, message };
  }
}

function eventsOf(steps: readonly SagaStep[]): readonly string[] {
  return [...new Set(steps.flatMap((step) => step.await ?? []))];
}

function entryOf(workflow: BriefWorkflow): WorkflowEntry {
  const view = briefViewOf(workflow);
  return {
    id: view.id,
    flow: view.saga,
    status: view.status,
    step: view.current_step,
    startedAt: view.started_at,
    updatedAt: view.updated_at,
    awaits: view.awaiting_event,
    resumesAt: view.resume_after,
    expiresAt: view.expires_at,
    cancelRequested: workflow.cancelRequested && !hasEnded(workflow.state),
  };
}

function stepOf(step: SagaStep, index: number, state: SagaState): WorkflowStep {
  const events = (state.history ?? []).filter((event) => event.step === step.name);
  const status = statusOf(step, index, state);
  const last = events.at(-1);
  const tried = events.findLast(({ kind, tries }) => tries !== undefined && kind !== 'compensated');
  return {
    name: step.name,
    status,
    awaits: step.await ?? null,
    delayMs: step.delay ?? null,
    compensates: step.compensate !== undefined,
    at: last === undefined ? null : iso(last.at),
    tries: tried?.tries ?? null,
    error: errorOf(step, status, state),
  };
}

function statusOf({ name, compensate }: SagaStep, index: number, state: SagaState): WorkflowStep['status'] {
  const { status, step, ending, undo } = state;
  if (index > step) return 'pending';
  if (index === step) return ending ?? (status === 'running' || status === 'waiting' ? status : 'failed');
  if (wasSkipped(name, state)) return 'skipped';
  if (ending === undefined || compensate === undefined) return 'done';
  if (undo.includes(name)) return undo.at(-1) === name ? 'compensating' : 'done';
  return objectionTo(name, state) === undefined ? 'compensated' : 'not_compensated';
}

/** Why a step could not be undone. */
function objectionTo(name: string, { compensationErrors }: SagaState): string | undefined {
  return compensationErrors.find((text) => text.includes(`step "${name}"`));
}

function errorOf({ name }: SagaStep, status: WorkflowStep['status'], state: SagaState): string | null {
  if (status === 'failed') return state.error ?? null;
  if (status === 'not_compensated') return objectionTo(name, state) ?? null;
  if (status !== 'skipped') return null;
  return String((state.results[name] as { readonly error: unknown }).error);
}
