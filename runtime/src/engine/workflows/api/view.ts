import type { SagaStatus } from '../program.ts';
import type { BriefWorkflow, StoredWorkflow } from '../store/store.ts';

/** An instance as it is shown to people and programs. */
export interface WorkflowView {
  readonly id: string;
  readonly saga: string;
  readonly status: SagaStatus;
  /** Name of the step; null when all are done. */
  readonly current_step: string | null;
  /** ISO 8601. */
  readonly started_at: string;
  readonly updated_at: string;
  /** When a delay ends; null unless it waits for one. */
  readonly resume_after: string | null;
  readonly awaiting_event: string | null;
  /** When the wait for the event, or the whole saga, times out. */
  readonly expires_at: string | null;
  /** Why it failed. */
  readonly error: string | null;
  /** What could not be undone. */
  readonly compensation_errors: readonly string[];
}

export function viewOf(workflow: StoredWorkflow): WorkflowView {
  return { ...briefViewOf(workflow), compensation_errors: workflow.state.compensationErrors };
}

/** The same of an instance in a list. */
export function briefViewOf({ state, stepName, updatedAt }: BriefWorkflow): Omit<WorkflowView, 'compensation_errors'> {
  const { stepExpiresAt, expiresAt } = state;
  const isWaiting = state.status === 'waiting';
  return {
    id: state.id,
    saga: state.saga,
    status: state.status,
    current_step: stepName ?? null,
    started_at: iso(state.startedAt),
    updated_at: iso(updatedAt),
    // An event that has come stays in the state until its step is done.
    resume_after: time(isWaiting ? state.resumeAt : undefined),
    awaiting_event: (isWaiting ? state.awaiting : undefined) ?? null,
    expires_at: time(
      // An instance that has ended or is being undone no longer times out.
      state.status !== 'running' && state.status !== 'waiting'
        ? undefined
        : stepExpiresAt === undefined || (expiresAt ?? stepExpiresAt) < stepExpiresAt
          ? expiresAt
          : stepExpiresAt,
    ),
    error: state.error ?? null,
  };
}

function time(milliseconds: number | undefined): string | null {
  return milliseconds === undefined ? null : iso(milliseconds);
}

export function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
