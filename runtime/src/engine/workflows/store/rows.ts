import { Fields } from '@svc/protocol/cel';
import type { SagaState, SagaStatus } from '../program.ts';
import { stateFromText, stateToText } from './state-text.ts';
import type { BriefWorkflow, StoredWorkflow } from './store.ts';

/** Values by column. */
export type Row = Readonly<Record<string, unknown>>;

/** Everything of a state that changes. What has no column of its own is in `progress`. */
export function columnsOf(state: SagaState, stepName: string | undefined): Row {
  const { id, saga, input, startedAt, ...changing } = state;
  const { status, step, results, signal, resumeAt, awaiting, stepExpiresAt, expiresAt, error, ...progress } = changing;
  return {
    status,
    current_step: step,
    step_name: stepName ?? null,
    step_results: stateToText(results),
    signal_data: signal === undefined ? null : stateToText(signal),
    resume_at: resumeAt ?? null,
    await_event: awaiting ?? null,
    expires_at: expiresAt ?? null,
    step_expires_at: stepExpiresAt ?? null,
    // Not every database can store this character in a text.
    error: error?.replaceAll('\u0000', '\ufffd') ?? null,
    progress: stateToText(progress),
  };
}

export function workflowOf(row: Row): StoredWorkflow {
  const json = (column: string) => (row[column] === null ? undefined : stateFromText(String(row[column])));
  const brief = briefOf(row);
  const state = {
    ...(json('progress') as object),
    ...brief.state,
    input: json('input') ?? new Fields(),
    results: json('step_results') ?? new Fields(),
    signal: json('signal_data'),
  };
  return {
    ...brief,
    state: withNumbers(state as unknown as SagaState),
    version: Number(row['version']),
    owner: word(row['owner']),
  };
}

/** An instance by a row without JSON. */
export function briefOf(row: Row): BriefWorkflow {
  return {
    state: {
      id: String(row['id']),
      saga: String(row['saga_name']),
      status: String(row['status']) as SagaStatus,
      step: Number(row['current_step']),
      resumeAt: time(row['resume_at']),
      awaiting: word(row['await_event']),
      expiresAt: time(row['expires_at']),
      stepExpiresAt: time(row['step_expires_at']),
      error: word(row['error']),
      startedAt: Number(row['created_at']),
    },
    stepName: word(row['step_name']),
    updatedAt: Number(row['updated_at']),
    cancelRequested: row['cancel_requested_at'] !== null,
  };
}

function word(value: unknown): string | undefined {
  return value === null ? undefined : String(value);
}

/** `ending` is left out of JSON when it is undefined; numbers of the program become numbers again. */
function withNumbers(state: SagaState): SagaState {
  state.ending ??= undefined;
  state.attempts = Number(state.attempts);
  const number = (value: number | undefined) => (value === undefined ? undefined : Number(value));
  if (Array.isArray(state.history))
    state.history = state.history.map(({ at, kind, step, tries }) => ({
      at: Number(at),
      kind,
      step,
      tries: number(tries),
    }));
  return state;
}

export function time(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
