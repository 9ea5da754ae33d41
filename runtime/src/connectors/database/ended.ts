import { Failure } from '../../foundation/errors/failure.ts';

/** What a call fails with whose signal fired before the database was `asked`, or before it `answered`. */
export function endedFailure(signal: AbortSignal | undefined, before: 'asked' | 'answered'): Failure {
  const reason: unknown = signal?.reason;
  if (reason instanceof Failure) return reason;
  const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
  const what = before === 'asked' ? 'was asked' : 'answered';
  return new Failure(timedOut ? 'connector_timeout' : 'cancelled', `the request ended before the database ${what}`, {
    cause: reason,
  });
}
