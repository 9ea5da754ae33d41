import { Fields } from '@svc/protocol/cel';
import type { Auth } from '../../foundation/contracts/message.ts';
import type { SagaProgram, SagaState, SagaStep } from './program.ts';

/** The number of attempts of a compensation before it counts as failed. */
export const mostAttempts = 3;

/** The values with which an instance begins. */
export interface Beginning {
  readonly id: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly auth: Auth | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** An instance before its first step. */
export function newInstance({ name, timeout }: SagaProgram, { id, input, auth, now }: Beginning): SagaState {
  return {
    id,
    saga: name,
    status: 'running',
    step: 0,
    input,
    auth,
    results: new Fields(),
    undo: [],
    ending: undefined,
    signal: undefined,
    resumeAt: undefined,
    awaiting: undefined,
    stepExpiresAt: undefined,
    expiresAt: timeout === undefined ? undefined : now + timeout,
    error: undefined,
    compensationErrors: [],
    attempts: 0,
    startedAt: now,
  };
}

/** What has to happen next with an instance. */
export type SagaMove =
  | { readonly kind: 'act'; readonly step: SagaStep }
  /** Every step is done. */
  | { readonly kind: 'complete' }
  | { readonly kind: 'compensate'; readonly step: SagaStep }
  /** Everything is undone that can be. */
  | { readonly kind: 'conclude' }
  /** It has ended, or waits. */
  | { readonly kind: 'rest' };

/** Returns the next action. Call it after `settle`. */
export function nextMove({ steps }: SagaProgram, { status, step, undo }: SagaState): SagaMove {
  if (status === 'running') {
    const current = steps[step];
    return current === undefined ? { kind: 'complete' } : { kind: 'act', step: current };
  }
  if (status !== 'compensating') return { kind: 'rest' };
  const last = steps.find(({ name }) => name === undo.at(-1));
  return last === undefined ? { kind: 'conclude' } : { kind: 'compensate', step: last };
}

/**
 * Performs every transition without an effect: waits that end, timeouts, steps without an action, steps without a
 * compensation. True when the state has changed, which has to be saved before anything is done.
 */
export function settle(program: SagaProgram, state: SagaState, now: number): boolean {
  let moved = false;
  while (settleOnce(program, state, now)) moved = true;
  return moved;
}

function settleOnce(program: SagaProgram, state: SagaState, now: number): boolean {
  switch (state.status) {
    case 'waiting':
      return settleWait(program, state, now);
    case 'running': {
      const step = program.steps[state.step];
      if (step === undefined) return false;
      if (isOver(state.expiresAt, now)) fail(state, timeoutOf(program));
      else if (hasToWait(step, state)) wait(step, state, now);
      else if (step.action === undefined) done(step, state);
      else return false;
      return true;
    }
    case 'compensating':
      return settleUndo(program, state);
    default:
      return false;
  }
}

function settleWait(program: SagaProgram, state: SagaState, now: number): boolean {
  const { resumeAt, stepExpiresAt, expiresAt = Number.POSITIVE_INFINITY } = state;
  const step = program.steps[state.step];
  if (isOver(resumeAt, now) && (resumeAt as number) <= expiresAt) resume(state);
  else if (isOver(stepExpiresAt, now) && (stepExpiresAt as number) <= expiresAt) {
    const error = `step "${step?.name ?? ''}": the event "${state.awaiting ?? ''}" did not come in time`;
    if (step?.onError === 'skip') skip(step, state, error);
    else fail(state, error);
  } else if (isOver(expiresAt, now)) fail(state, timeoutOf(program));
  else return false;
  return true;
}

/** Skips steps without a compensation; a step that the saga no longer has cannot be undone. */
function settleUndo({ steps }: SagaProgram, state: SagaState): boolean {
  const name = state.undo.at(-1);
  if (name === undefined) return false;
  const step = steps.find((one) => one.name === name);
  if (step?.compensate !== undefined) return false;
  if (step === undefined) state.compensationErrors.push(`step "${name}": the saga no longer has this step`);
  state.undo.pop();
  return true;
}

function isOver(time: number | undefined, now: number): boolean {
  return time !== undefined && now >= time;
}

function timeoutOf({ name }: SagaProgram): string {
  return `saga "${name}": its timeout passed`;
}

/** The wait of a step precedes its action. The event that came stays in the state until the step is done. */
function hasToWait(step: SagaStep, { resumeAt, awaiting }: SagaState): boolean {
  const hasCome = resumeAt !== undefined || awaiting !== undefined;
  return (step.delay !== undefined || step.await !== undefined) && !hasCome;
}

function wait(step: SagaStep, state: SagaState, now: number): void {
  state.status = 'waiting';
  if (step.delay !== undefined) state.resumeAt = now + step.delay;
  state.awaiting = step.await;
  if (step.await !== undefined && step.timeout !== undefined) state.stepExpiresAt = now + step.timeout;
}

/** The wait of the present step is over: its action follows. */
function resume(state: SagaState): void {
  state.status = 'running';
  state.stepExpiresAt = undefined;
}

/** The present step has succeeded. */
function done(step: SagaStep, state: SagaState): void {
  stopWaiting(state);
  state.undo.push(step.name);
  state.step++;
}

function stopWaiting(state: SagaState): void {
  state.resumeAt = undefined;
  state.awaiting = undefined;
  state.stepExpiresAt = undefined;
}

/** The event came. False when the instance does not wait for it: nothing changes then. */
export function signal(state: SagaState, event: string, body: Readonly<Record<string, unknown>>): boolean {
  if (state.status !== 'waiting' || state.awaiting !== event) return false;
  state.signal = body;
  resume(state);
  return true;
}

/** Begins to undo everything that was done. False when there is nothing to cancel: it has ended, or is undone already. */
export function cancel(state: SagaState): boolean {
  if (state.status !== 'running' && state.status !== 'waiting') return false;
  undoAll(state, 'cancelled');
  return true;
}

/** Begins to undo everything that was done, because of a failure. */
export function fail(state: SagaState, error: string): void {
  state.error = error;
  undoAll(state, 'failed');
}

function undoAll(state: SagaState, ending: 'failed' | 'cancelled'): void {
  stopWaiting(state);
  state.status = 'compensating';
  state.ending = ending;
  state.attempts = 0;
}

/** The action of the present step succeeded. */
export function succeeded(step: SagaStep, state: SagaState, result: unknown): void {
  state.results[step.name] = result;
  done(step, state);
}

/** The action of the present step failed. */
export function failed(step: SagaStep, state: SagaState, error: string): void {
  if (step.onError === 'skip') skip(step, state, error);
  else fail(state, error);
}

/** Continues with the failure as the result. */
function skip(step: SagaStep, state: SagaState, error: string): void {
  stopWaiting(state);
  state.status = 'running';
  state.results[step.name] = Object.assign(new Fields(), { error });
  state.step++;
}

/** The step that was done last is undone. */
export function compensated(state: SagaState): void {
  state.undo.pop();
  state.attempts = 0;
}

/**
 * It could not be undone: it is retried a few times when that may help; then that is recorded, and the others follow.
 */
export function notCompensated(state: SagaState, error: string, isRetriable: boolean): void {
  state.attempts++;
  if (isRetriable && state.attempts < mostAttempts) return;
  state.compensationErrors.push(error);
  compensated(state);
}

/** Everything is undone that can be. */
export function conclude(state: SagaState): void {
  state.status = state.compensationErrors.length > 0 ? 'compensation_failed' : (state.ending ?? 'failed');
}

/** Every step is done; with an error, what follows them failed, and nothing is undone. */
export function complete(state: SagaState, error?: string): void {
  state.status = error === undefined ? 'completed' : 'failed';
  state.error = error;
}

/** Whether nothing will ever happen again. */
export function hasEnded({ status }: Pick<SagaState, 'status'>): boolean {
  return status !== 'running' && status !== 'waiting' && status !== 'compensating';
}

/** Whether a step that is over was skipped: its failure is its result then, and it is not undone. */
export function wasSkipped(name: string, { results, undo }: SagaState): boolean {
  const result = results[name];
  if (undo.includes(name) || typeof result !== 'object' || result === null) return false;
  return Object.keys(result).join() === 'error';
}
