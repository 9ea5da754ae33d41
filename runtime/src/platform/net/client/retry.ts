import { type Backoff, backoffDelay } from '../backoff.ts';
import type { HttpFailure } from '../request.ts';
import { longestRetryAfter } from '../retry-after.ts';

/** When and after how long a request is repeated. */
export interface RetryPolicy extends Backoff {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Repeat what changes something even when the first attempt may have done so. */
  readonly unsafe: boolean;
  /** Which failures are repeated, whatever is asked. Absent: those that may help, as far as they change nothing twice. */
  readonly repeats?: ((failure: HttpFailure) => boolean) | undefined;
}

const temporary = new Set([408, 425, 429]);

/**
 * Milliseconds to wait before the request is repeated, or undefined when it must not be: `tried` counts the attempts
 * so far. `isSafe`: repeating changes nothing twice, by what is asked or since an Idempotency-Key goes with it.
 */
export function retryAfter(
  failure: HttpFailure,
  tried: number,
  policy: RetryPolicy,
  isSafe: boolean,
  random?: () => number,
): number | undefined {
  if (tried >= policy.attempts) return undefined;
  if (policy.repeats !== undefined) {
    if (!policy.repeats(failure)) return undefined;
  } else if (!mayHelp(failure) || (failure.sent && !isSafe && !policy.unsafe)) return undefined;
  if (failure.retryAfter !== undefined) return Math.min(failure.retryAfter, longestRetryAfter);
  return backoffDelay(policy, tried, random);
}

/**
 * Whether a call is surely not repeated although its connector repeats others: its first attempt may have taken effect, and
 * nothing lets the peer recognise the second one. `headers` are the names that its requests bring.
 */
export function isTriedOnce(policy: RetryPolicy, isSafe: boolean, headers: readonly string[]): boolean {
  if (policy.attempts <= 1 || policy.unsafe || isSafe) return false;
  return !headers.some((name) => name.toLowerCase() === 'idempotency-key');
}

/** A status below 400 is that of an answer which says itself that it failed. */
function mayHelp({ code, upstream, retriable }: HttpFailure): boolean {
  if (!retriable) return false;
  if (upstream !== undefined) return upstream.status < 400 || upstream.status >= 500 || temporary.has(upstream.status);
  return code === 'connector_refused' || code === 'connector_timeout';
}
