import { Fields } from '@svc/protocol/cel';
import { anonymous, type Message } from '../../foundation/contracts/message.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { Frame } from '../flow/message/frame.ts';
import { startDeadline } from './deadline.ts';
import type { SagaAction, SagaJournal, SagaProgram, SagaState, SagaStep } from './program.ts';
import {
  cancel,
  compensated,
  complete,
  conclude,
  fail,
  failed,
  nextMove,
  notCompensated,
  type SagaMove,
  settle,
  succeeded,
} from './transitions.ts';

/** What running an instance needs of the process that runs it. */
export interface SagaSurroundings {
  readonly journal: SagaJournal;
  readonly clock: Clock;
  readonly log: Log;
  /** What its expressions read as `constants`. */
  readonly constants: Readonly<Record<string, unknown>>;
  /** The message that waits for the end of the instance; when its signal fires, everything is undone. */
  readonly message?: Message | undefined;
  /** The debugger's thread; undefined when no debugger is attached. */
  readonly thread?: unknown;
  /** Called with every failure, the text that is kept of it, and the place with which the text begins: `step "pay"`. */
  readonly failed?: ((text: string, place: string, failure: Failure) => void) | undefined;
}

/** Milliseconds before a compensation is retried, by the number of attempts so far. */
const pauses = [250, 1000];

/**
 * Runs an instance from its present state until it has ended, or waits. It never sleeps for `delay` and `await`: the
 * state then contains what it waits for, and this function is called again when that has come.
 *
 * The state is saved before an effect when it changed since it was saved, and after each effect, so that a process that
 * dies repeats at most the effect in progress. When `signal` fires the instance stays where it is, neither compensated
 * nor cancelled: an action in progress is cut off, or counts if it succeeds all the same. Rejects when the state cannot
 * be saved; the state in memory is worthless then.
 */
export async function advance(
  program: SagaProgram,
  state: SagaState,
  around: SagaSurroundings,
  signal?: AbortSignal,
): Promise<void> {
  const { journal, clock } = around;
  for (;;) {
    if (settle(program, state, clock.now())) await journal.save(state);
    const move = nextMove(program, state);
    if (move.kind === 'rest') return;
    if (signal?.aborted) return;
    const isCancelled = isGone(around) && cancel(state);
    if (!isCancelled && !(await perform(move, program, state, around, signal))) return;
    await journal.save(state);
  }
}

/** Whether the caller has disconnected, or its time is over. Undoing continues without it. */
function isGone({ message }: SagaSurroundings): boolean {
  return message?.cancelled?.() ?? message?.signal()?.aborted ?? false;
}

type Perform<M> = (
  move: M,
  program: SagaProgram,
  state: SagaState,
  around: SagaSurroundings,
  signal: AbortSignal | undefined,
) => Promise<boolean>;

/** Performs one effect. False when it was interrupted: then there is no result to save. */
const perform: Perform<Exclude<SagaMove, { kind: 'rest' }>> = (move, ...rest) => {
  switch (move.kind) {
    case 'act':
      return act(move, ...rest);
    case 'complete':
      return finish(move, ...rest);
    case 'compensate':
      return compensate(move, ...rest);
    case 'conclude':
      return end(move, ...rest);
  }
};

const act: Perform<{ readonly step: SagaStep }> = async ({ step }, program, state, around, signal) => {
  for (let tried = 1; ; tried++) {
    const done = await tryOnce(step, tried, program, state, around, signal);
    if (done !== again) return done;
  }
};

/** The action has failed, and the pause before the next attempt is over. */
const again = Symbol('again');

/** One attempt of an action. */
async function tryOnce(
  step: SagaStep,
  tried: number,
  program: SagaProgram,
  state: SagaState,
  around: SagaSurroundings,
  signal: AbortSignal | undefined,
): Promise<boolean | typeof again> {
  const place = `step "${step.name}"`;
  const left = (state.expiresAt ?? Number.POSITIVE_INFINITY) - around.clock.now();
  const isOwn = (step.timeout ?? Number.POSITIVE_INFINITY) <= left;
  const limit = isOwn ? step.timeout : left;
  const late = isOwn ? `${place} took too long` : `saga "${program.name}": its timeout passed`;
  let result: unknown;
  try {
    result = await run(step.action, state, around, { signal, caller: around.message?.signal(), limit, late, tried });
  } catch (error) {
    if (signal?.aborted) return false;
    const { text, failure } = recordFailure(error, place, state, around);
    const isOver = failure instanceof TimeIsOver && !isOwn;
    if (!isOver && (await mayTryAgain(step, tried, failure, left, around, signal))) return again;
    if (signal?.aborted) return false;
    if (isGone(around)) cancel(state);
    else if (isOver) fail(state, text);
    else failed(step, state, text);
    return true;
  }
  succeeded(step, state, result ?? null);
  return true;
}

/**
 * Waits before the next attempt of an action. False when no attempt follows: the attempts are used up, another one
 * would not help or might write twice, the time of the saga ends before it, the caller has disconnected, or the process
 * stops.
 */
async function mayTryAgain(
  { retry }: SagaStep,
  tried: number,
  { code, retriable }: Failure,
  left: number,
  around: SagaSurroundings,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (retry === undefined || tried >= retry.attempts || !retriable || isGone(around)) return false;
  if (code === 'outcome_unknown' && retry.unsafe !== true) return false;
  const wait = retry.wait(tried);
  if (wait >= left) return false;
  const signals = [signal, around.message?.signal()].flatMap((one) => one ?? []);
  return around.clock.sleep(wait, AbortSignal.any(signals)).then(
    () => true,
    () => false,
  );
}

const finish: Perform<unknown> = async (_move, { onComplete }, state, around, signal) => {
  try {
    await run(onComplete, state, around, { signal });
  } catch (error) {
    if (signal?.aborted) return false;
    complete(state, recordFailure(error, 'on_complete', state, around).text);
    return true;
  }
  complete(state);
  return true;
};

const compensate: Perform<{ readonly step: SagaStep }> = async ({ step }, _program, state, around, signal) => {
  try {
    if (state.attempts > 0) await around.clock.sleep(pauses[state.attempts - 1] ?? 0, signal);
    await run(step.compensate, state, around, { signal, error: state.error ?? '' });
  } catch (error) {
    if (signal?.aborted) return false;
    const { text, failure } = recordFailure(error, `compensation of step "${step.name}"`, state, around);
    notCompensated(state, text, failure.retriable);
    return true;
  }
  compensated(state);
  return true;
};

/** Ends an instance that is undone. What follows a failure cannot change how the instance ends. */
const end: Perform<unknown> = async (_move, { onFailure }, state, around, signal) => {
  if (state.ending === 'failed') {
    try {
      await run(onFailure, state, around, { signal, error: state.error ?? '' });
    } catch (error) {
      if (signal?.aborted) return false;
      recordFailure(error, 'on_failure', state, around);
    }
  }
  conclude(state);
  return true;
};

/** Logs a failure, and gives the text that is kept of it. */
function recordFailure(
  error: unknown,
  place: string,
  { saga, id }: SagaState,
  { log, failed }: SagaSurroundings,
): { readonly text: string; readonly failure: Failure } {
  const failure = asFailure(error);
  const { code, message } = failure;
  const said = message.includes(place) || failure instanceof TimeIsOver ? message : `${place}: ${message}`;
  // A text that a database refuses could never be saved, and the step would be repeated for ever.
  const text = said.replaceAll('\0', '\ufffd');
  log.warn('an action of a saga failed', { saga, instance: id, code, error: text });
  failed?.(text, place, failure);
  return { text, failure };
}

/** The wait for the end of an action was given up. The action may have taken effect all the same. */
class TimeIsOver extends Failure {
  constructor(message: string) {
    super('connector_timeout', message);
  }
}

interface Running {
  readonly signal: AbortSignal | undefined;
  /** Of the caller; it does not abort compensations. */
  readonly caller?: AbortSignal | undefined;
  /** Milliseconds. */
  readonly limit?: number | undefined;
  /** The message when they are over. */
  readonly late?: string | undefined;
  /** What undoing and `on_failure` read. */
  readonly error?: string | undefined;
  /** The number of the attempt of a step, from 1. */
  readonly tried?: number | undefined;
}

/** Calls a connector, with the present state of an instance. */
function run(action: SagaAction | undefined, state: SagaState, around: SagaSurroundings, running: Running): unknown {
  if (action === undefined) return null;
  const { limit, late = '', tried } = running;
  const signals = [running.signal, running.caller].flatMap((one) => one ?? []);
  if (limit === undefined || limit === Number.POSITIVE_INFINITY) {
    const [first] = signals;
    const signal = signals.length > 1 ? AbortSignal.any(signals) : first;
    return action(frameOf(state, around, running, signal, undefined), tried);
  }
  const cut = new AbortController();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const deadline = startDeadline(around.clock, limit, () => {
    const failure = new TimeIsOver(late);
    reject(failure);
    cut.abort(failure);
  });
  const work = async () =>
    action(frameOf(state, around, running, AbortSignal.any([...signals, cut.signal]), deadline.hold), tried);
  // An action that ignores its signal is abandoned.
  return Promise.race([work(), over]).finally(() => deadline.end());
}

function frameOf(
  state: SagaState,
  { constants, message, thread }: SagaSurroundings,
  { error }: Running,
  signal: AbortSignal | undefined,
  hold: Message['hold'],
): Frame {
  const { input, signal: last } = state;
  const frame = new Frame(
    {
      input: last === undefined ? input : Object.assign(new Fields(), input, { signal: last }),
      auth: state.auth ?? anonymous,
      signal: () => signal,
      hold,
      addressed: [],
      callers: message?.callers,
      traceparent: message?.traceparent,
      tracestate: message?.tracestate,
      hidden: state.hidden,
    },
    constants,
  );
  frame.step = state.results;
  frame.error = error === undefined ? nothing : Object.assign(new Fields(), { message: error });
  frame.thread = thread;
  return frame;
}

const nothing = Object.freeze(new Fields());
