import type { Values } from '@svc/protocol/schema';
import type { Outcome } from '../../../contracts/outcome.ts';
import { asFailure } from '../../../errors/classify.ts';
import type { Failure } from '../../../errors/failure.ts';
import type { Frame } from '../../frame.ts';
import type { FlowModel } from '../../model.ts';
import type { Part, Run } from '../../part.ts';
import { mustNotRepeat } from '../../repeatable.ts';
import type { FlowTools } from '../../tools.ts';
import { compileFallback, type Fallback } from './fallback.ts';
import type { errorHandling as spec } from './spec.ts';

type Handling = Values<typeof spec>;

/**
 * Runs the work of a flow again while that may help, then hands the message to the fallback (supplement 3.19). What
 * remains is thrown with the number of attempts in its text; its code stays that of the cause.
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
      // What the fallback took is not to come again (supplement-flows 3.19).
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

/** Whether another try may help: `on_timeout` and `on_error` may say that the message is settled instead. */
function mayRetry(handling: Handling, failure: Failure): boolean {
  const action = ruleFor(handling, failure)?.action;
  if (action !== undefined && action !== 'retry') return false;
  // Whoever writes `retry` waits for what another writer has not done yet, such as the row that a key refers to.
  return failure.retriable || failure.code === 'constraint_violated';
}

/** What `on_timeout` or `on_error` of the flow make of a message that failed so; undefined where they say nothing of it. */
export function settlementOf(handling: Handling, failure: Failure): Failure['settle'] {
  const action = ruleFor(handling, failure)?.action;
  return action === 'retry' ? undefined : action;
}

/** `on_timeout` or `on_error` of the flow; permanent failures are left to the source. */
function ruleFor({ on_timeout: onTimeout, on_error: onError }: Handling, { retriable, kind }: Failure) {
  if (!retriable) return undefined;
  return kind.type === 'timeout' ? onTimeout : onError;
}

/** Milliseconds before the try that follows try number `tried`. Without jitter: what is written is what is waited. */
export function waitOf(retry: Handling['retry']): (tried: number) => number {
  const { delay = 1000, max_delay: longest = 30_000, backoff = 'constant' } = retry ?? {};
  if (backoff === 'constant') return () => delay;
  return (tried) => Math.min(longest, backoff === 'linear' ? delay * tried : delay * 2 ** (tried - 1));
}
