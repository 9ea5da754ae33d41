import { CelError } from '@svc/protocol/cel';
import { Failure, type FailurePlace } from './failure.ts';
import type { FailureCode } from './failures.ts';

/** Codes of Node's socket and name errors that mean: no server could be reached. */
const connectionCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EPIPE',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_SOCKET',
]);
const timeoutCodes = new Set([
  'ETIMEDOUT',
  'ESOCKETTIMEDOUT',
  'UND_ERR_CONNECT_TIMEOUT',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

/** Gives a foreign error its code, once, where it enters. A Failure passes with its place completed. */
export function asFailure(error: unknown, place: FailurePlace = {}): Failure {
  if (error instanceof Failure) return error.within(place);
  if (error instanceof CelError) return new Failure('expression_failed', error.message, { cause: error, at: place });
  const message = error instanceof Error ? error.message : String(error);
  return new Failure(codeOf(error, place), message, { cause: error, at: place });
}

function codeOf(error: unknown, place: FailurePlace): FailureCode {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (timeoutCodes.has(code) || at.name === 'TimeoutError') return 'connector_timeout';
    if (at.name === 'AbortError') return 'cancelled';
    if (connectionCodes.has(code)) return 'connector_refused';
  }
  return place.connector === undefined ? 'internal' : 'connector_failed';
}
