import { type Backoff, backoffDelay } from '../../net/backoff.ts';
import type { HttpFailure } from '../../net/request.ts';
import { longestRetryAfter } from '../../net/retry-after.ts';
import type { Method } from './target.ts';

/** When and after how long a request is repeated (`docs/reference/connectors/http-client.md`). */
export interface RetryPolicy extends Backoff {
  /** Attempts in all, the first included. */
  readonly attempts: number;
  /** Repeat what changes something even when the first attempt may have done so. */
  readonly unsafe: boolean;
}

const repeatable = new Set<Method>(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY']);
const temporary = new Set([408, 425, 429]);

/**
 * Milliseconds to wait before the request is repeated, or undefined when it must not be: `tried` counts the attempts
 * so far. `keyed` says that an Idempotency-Key goes with it.
 */
export function retryAfter(
  failure: HttpFailure,
  tried: number,
  policy: RetryPolicy,
  method: Method,
  keyed: boolean,
  random?: () => number,
): number | undefined {
  if (tried >= policy.attempts || !mayHelp(failure)) return undefined;
  if (failure.sent && !repeatable.has(method) && !policy.unsafe && !keyed) return undefined;
  if (failure.retryAfter !== undefined) return Math.min(failure.retryAfter, longestRetryAfter);
  return backoffDelay(policy, tried, random);
}

/**
 * Whether a call is surely not repeated although its connector repeats others: its first attempt may have taken effect, and
 * nothing lets the peer recognise the second one. `headers` are the names that its requests bring.
 */
export function isTriedOnce(policy: RetryPolicy, method: Method, headers: readonly string[]): boolean {
  if (policy.attempts <= 1 || policy.unsafe || repeatable.has(method)) return false;
  return !headers.some((name) => name.toLowerCase() === 'idempotency-key');
}

function mayHelp(failure: HttpFailure): boolean {
  const status = failure.upstream?.status;
  if (status !== undefined) return status >= 500 || temporary.has(status);
  return failure.code === 'connector_refused' || failure.code === 'connector_timeout';
}
