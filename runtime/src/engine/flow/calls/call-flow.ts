import type { Message } from '../../../foundation/contracts/message.ts';
import type { Failed, Outcome } from '../../../foundation/contracts/outcome.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Frame } from '../message/frame.ts';
import type { FlowTools } from '../tools.ts';

/** The properties of a call beside its caller. */
export interface FlowCall {
  readonly input: Record<string, unknown>;
  /** Names in `input` that address a row, and those that came with the query; absent: none. */
  readonly addressed?: readonly string[] | undefined;
  readonly queried?: readonly string[] | undefined;
  /** Names in `input` that the source behind the calling flow gave its message; absent: none. */
  readonly sourced?: readonly string[] | undefined;
  /** The work continues when the caller of the calling flow has disconnected. */
  readonly detached: boolean;
}

/**
 * Prepares calls of one flow by another, `title` (`aspect "audit" of flow "a"`) begins the messages of failures. The
 * caller's identity is passed on. A flow that is already in the chain of calls, and an answer that says that it failed, are
 * `flow_failed`.
 */
export function prepareFlowCall(
  name: string,
  caller: string,
  title: string,
  tools: Pick<FlowTools, 'flow'>,
): (frame: Frame, call: FlowCall) => Outcome | Promise<Outcome> {
  const run = tools.flow(name);
  const settle = (outcome: Outcome): Outcome => {
    if (outcome.kind === 'failed') throw answeredError(name, title, outcome);
    return outcome;
  };
  return (frame, call) => {
    const { message } = frame;
    const callers = [...(message.callers ?? []), caller];
    if (callers.includes(name))
      throw new Failure('flow_failed', `${title} comes back to flow "${name}": ${[...callers, name].join(' > ')}`);
    // Work that continues after the end of the calling flow may still read its contents.
    const release = call.detached ? message.contents?.().hold() : undefined;
    let outcome: Outcome | Promise<Outcome>;
    try {
      outcome = run(messageOf(frame, callers, call));
    } catch (error) {
      release?.();
      throw failedIn(name, title, error);
    }
    if (!(outcome instanceof Promise)) {
      release?.();
      return settle(outcome);
    }
    const settled = outcome.then(settle, (error: unknown) => {
      throw failedIn(name, title, error);
    });
    return release === undefined ? settled : settled.finally(release);
  };
}

/** A failure in a flow that the caller of the calling flow may not know. */
function failedIn(name: string, title: string, error: unknown): unknown {
  if (!(error instanceof Failure) || error.code === 'cancelled') return error;
  return error.reworded(`${title}: flow "${name}" failed: ${error.message}`);
}

function messageOf(frame: Frame, callers: readonly string[], call: FlowCall): Message {
  const caller = frame.message;
  const { auth, waitSignal, hold, held, traceparent, tracestate, hidden } = caller;
  const { input, addressed = [], queried, sourced = [], detached } = call;
  return {
    input,
    auth,
    signal: detached ? () => undefined : () => caller.signal(),
    cancelled: detached ? () => false : () => caller.cancelled?.() ?? caller.signal()?.aborted ?? false,
    waitSignal: detached ? undefined : waitSignal && (() => waitSignal.call(caller)),
    hold: hold && (() => caller.hold?.() ?? (() => undefined)),
    held: held && (() => caller.held?.() as ReturnType<typeof held>),
    contents: () => frame.contents,
    callers,
    traceparent,
    tracestate,
    hidden,
    addressed,
    queried,
    sourced,
  };
}

/** The longest part of an answer that a failure contains. */
const mostLetters = 4096;

function answeredError(name: string, title: string, { status, value }: Failed): Failure {
  const plain = (_: string, item: unknown) => (typeof item === 'bigint' ? String(item) : item);
  const body = (JSON.stringify(value, plain) ?? '').slice(0, mostLetters);
  return new Failure('flow_failed', `${title}: flow "${name}" answered ${status}`, { upstream: { status, body } });
}
