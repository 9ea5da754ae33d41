import { type Backoff, backoffDelay } from '../../net/backoff.ts';
import type { HttpFailure } from '../../net/request.ts';
import type { Method } from './target.ts';

/** When and after how long a request is repeated (`docs/reference/connectors/http.md`). */
export interface RetryPolicy extends Backoff {
  /** Tries in all, the first included. */
  readonly attempts: number;
  /** Repeat what changes something even when the first try may have done so. */
  readonly unsafe: boolean;
}

/** A Retry-After that asks for more is not waited for any longer. */
const longestRetryAfter = 30_000;
const repeatable = new Set<Method>(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE', 'QUERY']);
const temporary = new Set([408, 425, 429]);

/**
 * Milliseconds to wait before the request is tried again, or undefined when it must not be: `tried` counts the tries
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
 * Whether a call is surely not repeated although its connector repeats others: its first try may have taken effect, and
 * nothing lets the peer tell the second one. `headers` are the names that its requests bring.
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

/** Milliseconds that a Retry-After header asks for: seconds, or a date (RFC 9110, 10.2.3). */
export function parseRetryAfter(value: string | undefined, now: number): number | undefined {
  if (value === undefined) return undefined;
  if (/^\s*\d+\s*$/.test(value)) return Number(value) * 1000;
  const at = Date.parse(value);
  return Number.isNaN(at) ? undefined : Math.max(at - now, 0);
}
