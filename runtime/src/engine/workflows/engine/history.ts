import type { SagaEvent, SagaProgram, SagaState, SagaStep } from '../program.ts';
import { hasEnded, wasSkipped } from '../transitions.ts';

/** Events of one instance that are kept, far more than a saga has. */
const mostKept = 500;

/** What the history is read from. */
type Seen = Pick<SagaState, 'status' | 'step' | 'ending'> & {
  readonly undo: readonly string[];
  readonly errors: number;
};
/** What happened, and to which step. */
type Happened = readonly [kind: SagaEvent['kind'], step: SagaStep | undefined];

/**
 * Adds to the history of an instance what has happened since the last time. It compares states, so that what changes
 * them need not know of it.
 */
export class History {
  readonly #steps: SagaProgram['steps'];
  #seen: Seen;
  #failures = 0;

  constructor(state: SagaState, { steps }: SagaProgram) {
    this.#steps = steps;
    this.#seen = seenOf(state);
  }

  /** An action was tried without success. */
  failed(): void {
    this.#failures++;
  }

  /** `isSignalled`: the state has taken up the signal that it waited for. */
  add(state: SagaState, at: number, isSignalled: boolean): void {
    const before = this.#seen;
    this.#seen = seenOf(state);
    const all = [...advanced(before, state, this.#steps, isSignalled), ...ending(before, state, this.#steps)];
    if (all.length === 0 || state.history === undefined) return;
    const events = all.map(([kind, step]): SagaEvent => {
      const tries = this.#triesOf(kind, step);
      return { at, kind, ...(step && { step: step.name }), ...(tries > 0 && { tries }) };
    });
    state.history = [...state.history, ...events].slice(-mostKept);
    this.#failures = 0;
  }

  #triesOf(kind: SagaEvent['kind'], step: SagaStep | undefined): number {
    if (kind === 'failed' || kind === 'skipped' || kind === 'not_compensated') return this.#failures;
    const succeeded = (kind === 'done' && step?.action !== undefined) || kind === 'compensated';
    return succeeded ? this.#failures + 1 : 0;
  }
}

function seenOf({ status, step, ending, undo, compensationErrors }: SagaState): Seen {
  return { status, step, ending, undo: [...undo], errors: compensationErrors.length };
}

/** Waits, and steps that are behind it now. */
function advanced(before: Seen, state: SagaState, steps: readonly SagaStep[], isSignalled: boolean): Happened[] {
  const { status, step } = state;
  if (status === before.status && step === before.step) return [];
  const all: Happened[] = [];
  const isUndoing = state.ending !== undefined && step === before.step;
  if (before.status === 'waiting' && !isUndoing) all.push([isSignalled ? 'signalled' : 'resumed', steps[before.step]]);
  for (const passed of steps.slice(before.step, step))
    all.push([wasSkipped(passed.name, state) ? 'skipped' : 'done', passed]);
  if (status === 'waiting') all.push(['waiting', steps[step]]);
  return all;
}

/** What is undone, and how it ended. */
function ending(before: Seen, state: SagaState, steps: readonly SagaStep[]): Happened[] {
  const all: Happened[] = [];
  if (state.ending !== undefined && before.ending === undefined) all.push([state.ending, steps[state.step]]);
  const undone = before.undo.filter((name) => !state.undo.includes(name)).reverse();
  const hasFailed = state.compensationErrors.length > before.errors;
  for (const name of undone) {
    const step = steps.find((each) => each.name === name);
    if (step?.compensate !== undefined) all.push([hasFailed ? 'not_compensated' : 'compensated', step]);
  }
  if (!hasEnded(state)) return all;
  // What follows the last step has failed; nothing is undone for it.
  if (state.status === 'failed' && state.ending === undefined) all.push(['failed', undefined]);
  return [...all, ['ended', undefined]];
}
