import { Fields } from '@svc/protocol/cel';
import type { SagaState, SagaStatus } from '../program.ts';
import { stateFromText, stateToText } from './state-text.ts';
import type { StoredWorkflow } from './store.ts';

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
  const word = (column: string) => (row[column] === null ? undefined : String(row[column]));
  const state = {
    ...(json('progress') as object),
    id: String(row['id']),
    saga: String(row['saga_name']),
    status: String(row['status']) as SagaStatus,
    step: Number(row['current_step']),
    input: json('input') ?? new Fields(),
    results: json('step_results') ?? new Fields(),
    signal: json('signal_data'),
    resumeAt: time(row['resume_at']),
    awaiting: word('await_event'),
    expiresAt: time(row['expires_at']),
    stepExpiresAt: time(row['step_expires_at']),
    error: word('error'),
    startedAt: Number(row['created_at']),
  };
  return {
    state: withNumbers(state as unknown as SagaState),
    stepName: word('step_name'),
    updatedAt: Number(row['updated_at']),
    cancelRequested: row['cancel_requested_at'] !== null,
    version: Number(row['version']),
    owner: word('owner'),
  };
}

/** `ending` is left out of JSON when it is undefined; `attempts` is a number of the program, not a value of the saga. */
function withNumbers(state: SagaState): SagaState {
  state.ending ??= undefined;
  state.attempts = Number(state.attempts);
  return state;
}

export function time(value: unknown): number | undefined {
  return value === null || value === undefined ? undefined : Number(value);
}
