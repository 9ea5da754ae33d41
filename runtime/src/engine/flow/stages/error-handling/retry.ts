import type { Values } from '@svc/protocol/schema';
import type { Outcome } from '../../../../foundation/contracts/outcome.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { mustNotRepeat } from '../../compile/repeatable.ts';
import type { Frame } from '../../message/frame.ts';
import type { Part, Run } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';
import { compileFallback, type Fallback } from './fallback.ts';
import type { errorHandling as spec } from './spec.ts';

type Handling = Values<typeof spec>;

/**
 * Runs the work of a flow again while that may help, then passes the message to the fallback
 * (docs/specification/flow.md#retries-and-fallback). The final failure is thrown with the number of attempts in its
 * text; its code stays that of the cause.
 */
export function retryLoop(model: FlowModel, tools: FlowTools): Part[] {
  const { error_handling: handling } = model.values;
  if (!handling) return [];
  const { retry, fallback: after, on_timeout: onTimeout, on_error: onError } = handling;
  if (!retry && !after && !onTimeout && !onError) return [];
  const attempts = handling.retry?.attempts ?? 1;
  const waits = waitOf(retry);
  const { clock } = tools.services;
  const isFinal = mustNotRepeat(model);
  const fallback = handling.fallback && compileFallback(model, handling.fallback, tools);

  const around = (next: Run): Run => {
    const attempt = (frame: Frame, tried: number): Outcome | Promise<Outcome> => {
      try {
        const outcome = next(frame);
        return outcome instanceof Promise
          ? outcome.catch((error: unknown) => failed(frame, tried, asFailure(error)))
          : outcome;
      } catch (error) {
        return failed(frame, tried, asFailure(error));
      }
    };
    const failed = async (frame: Frame, tried: number, failure: Failure): Promise<Outcome> => {
      if (failure.code === 'cancelled') throw failure;
      const again = mayRetry(handling, failure) && !isFinal(failure);
      if (!again || tried >= attempts) throw await giveUp(frame, tried, failure, !again && tried < attempts);
      await clock.sleep(waits(tried), frame.signal);
      frame.restart();
      return attempt(frame, tried + 1);
    };
    const giveUp = async (frame: Frame, tried: number, cause: Failure, cutShort: boolean): Promise<Failure> => {
      const action = ruleFor(handling, cause)?.action;
      const failure = action === undefined || action === 'retry' ? cause : cause.settledBy(action);
      const note = fallback === undefined ? '' : await send(fallback, frame, failure);
      if (attempts === 1 && note === '') return failure;
      const why = !cutShort ? '' : isFinal(failure) ? unsure : failure.retriable ? '' : permanent;
      // What the fallback took must not be redelivered.
      const kept = note === sent ? failure.settledBy(failure.settle ?? 'ack') : failure;
      return kept.reworded(`flow failed after ${tried} attempt(s)${why}${note}: ${failure.message}`);
    };
    return (frame) => attempt(frame, 1);
  };
  return [{ title: 'error_handling', around }];
}

const permanent = ' (permanent failure, retry skipped)';
const unsure = ' (what was written is unknown, retry skipped)';
const sent = ', sent to fallback';

async function send(fallback: Fallback, frame: Frame, failure: Failure): Promise<string> {
  try {
    await fallback(frame, failure);
    return sent;
  } catch (error) {
    return `, fallback failed (${asFailure(error).message})`;
  }
}

/** Whether another attempt may help: `on_timeout` and `on_error` may settle the message instead. */
function mayRetry(handling: Handling, failure: Failure): boolean {
  const action = ruleFor(handling, failure)?.action;
  if (action !== undefined && action !== 'retry') return false;
  // A `retry` may wait for another writer, for example for the row that a key refers to.
  return failure.retriable || failure.code === 'constraint_violated';
}

/**
 * What `on_timeout` or `on_error` of the flow do with a message that failed in this way; undefined when they do not
 * apply.
 */
export function settlementOf(handling: Handling, failure: Failure): Failure['settle'] {
  const action = ruleFor(handling, failure)?.action;
  return action === 'retry' ? undefined : action;
}

/** `on_timeout` or `on_error` of the flow; permanent failures are left to the source. */
function ruleFor({ on_timeout: onTimeout, on_error: onError }: Handling, { retriable, kind }: Failure) {
  if (!retriable) return undefined;
  return kind.type === 'timeout' ? onTimeout : onError;
}

/**
 * Milliseconds before the attempt that follows attempt number `tried`. Without jitter: the wait is exactly as written.
 */
export function waitOf(retry: Handling['retry']): (tried: number) => number {
  const { delay = 1000, max_delay: longest = 30_000, backoff = 'constant' } = retry ?? {};
  if (backoff === 'constant') return () => delay;
  return (tried) => Math.min(longest, backoff === 'linear' ? delay * tried : delay * 2 ** (tried - 1));
}
