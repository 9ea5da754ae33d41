import type { Failure } from '../../foundation/errors/failure.ts';
import type { FailureCode } from '../../foundation/errors/failures.ts';

const away = new Set<FailureCode>([
  'connector_refused',
  'connector_timeout',
  'connector_busy',
  'peer_unavailable',
  'store_unavailable',
]);

/**
 * Whether another profile may succeed: the peer was not reached, did not answer in time, or answered with 5xx
 * (docs/specification/connectors.md#profiles). A refused request is refused everywhere, and what may have happened is
 * not repeated.
 */
export function fallsOver(failure: Failure): boolean {
  if (!failure.retriable) return false;
  const status = failure.upstream?.status;
  return status === undefined ? away.has(failure.code) : status >= 500;
}
