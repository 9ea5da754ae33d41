import { Failure } from '../../../foundation/errors/failure.ts';
import { ManualClock } from '../../../service/running/testing/manual-clock.ts';
import type { Frame } from '../../flow/message/frame.ts';
import { advance, type SagaSurroundings } from '../execute.ts';
import type { SagaAction, SagaProgram, SagaState, SagaStep } from '../program.ts';
import { newInstance } from '../transitions.ts';

/** A step by its parts; omitted parts are absent. */
export function stepOf(name: string, parts: Partial<SagaStep> = {}): SagaStep {
  return {
    name,
    action: undefined,
    compensate: undefined,
    delay: undefined,
    await: undefined,
    timeout: undefined,
    onError: 'fail',
    retry: undefined,
    ...parts,
  };
}

export function programOf(steps: readonly SagaStep[], parts: Partial<SagaProgram> = {}): SagaProgram {
  const pauses = steps.some(({ delay, await: event }) => delay !== undefined || event !== undefined);
  return { name: 's', timeout: undefined, steps, onComplete: undefined, onFailure: undefined, pauses, ...parts };
}

/** A copy that shares nothing. */
export function copyOf(state: SagaState): SagaState {
  return structuredClone(state);
}

export interface Bench {
  readonly clock: ManualClock;
  /** The actions that were run, in order. */
  readonly done: string[];
  /** Copies of what was saved. */
  readonly saved: SagaState[];
  readonly log: string[];
  /** An action that records its name and returns `result`, or throws it when it is a failure. */
  does(name: string, result?: unknown): SagaAction;
  begin(program: SagaProgram, input?: Readonly<Record<string, unknown>>): SagaState;
  advance(
    program: SagaProgram,
    state: SagaState,
    signal?: AbortSignal,
    around?: Partial<SagaSurroundings>,
  ): Promise<void>;
}

/** Runs instances with actions of the test. */
export function bench(): Bench {
  const clock = new ManualClock();
  const done: string[] = [];
  const saved: SagaState[] = [];
  const log: string[] = [];
  const note = (message: string, fields: Readonly<Record<string, unknown>> = {}) =>
    void log.push(`${message}: ${String(fields['error'])}`);
  const own = { enabled: () => true, debug: note, info: note, warn: note, error: note };
  const logger = { ...own, with: () => logger };
  return {
    clock,
    done,
    saved,
    log,
    does: (name, result) => async () => {
      done.push(name);
      if (result instanceof Error) throw result;
      return result ?? null;
    },
    begin: (program, input = {}) => newInstance(program, { id: 'i', input, auth: undefined, now: clock.now() }),
    advance: (program, state, signal, around = {}) =>
      advance(
        program,
        state,
        {
          journal: { save: async (now) => void saved.push(copyOf(now)) },
          clock,
          log: logger,
          constants: {},
          ...around,
        },
        signal,
      ),
  };
}

export const permanent = (message = 'no') => new Failure('connector_failed', message, { retriable: false });
export const passing = (message = 'away') => new Failure('connector_refused', message);

/** An action that never ends by itself, and records when it was cut off. */
export function endless(cut: () => void): SagaAction {
  return (frame: Frame) =>
    new Promise((_resolve, reject) => {
      const signal = frame.message.signal();
      signal?.addEventListener('abort', () => {
        cut();
        reject(new Failure('cancelled', 'cut'));
      });
    });
}
