import { Failure } from '../../../foundation/errors/failure.ts';
import { textOf } from '../../../platform/net/connection.ts';

interface LibraryError {
  readonly name: string;
  readonly type?: string;
  readonly cause?: unknown;
  readonly code?: unknown;
}

/** What a broker answers to a message that it will never take. */
const refusals = [
  'MESSAGE_TOO_LARGE',
  'RECORD_LIST_TOO_LARGE',
  'INVALID_TOPIC_EXCEPTION',
  'CORRUPT_MESSAGE',
  'UNSUPPORTED_FOR_MESSAGE_FORMAT',
  'POLICY_VIOLATION',
];

/** The error of the protocol that this one is about: `REBALANCE_IN_PROGRESS`; undefined when it is another one. */
export function typeOf(error: unknown): string | undefined {
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const { type } = at as unknown as LibraryError;
    if (typeof type === 'string') return type;
  }
  return undefined;
}

/** What a call failed with, as callers know it. */
export function failureOf(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const type = typeOf(error);
  const cause = deepest(error);
  const text = textOf(cause);
  if (type === 'INVALID_RECORD')
    return new Failure(
      'connector_failed',
      'the broker refused the message (INVALID_RECORD): a topic that keeps the last message of each key alone (cleanup.policy = "compact") takes none without a key; write params.key',
      { cause, retriable: false },
    );
  if (type !== undefined && refusals.includes(type))
    return new Failure('connector_failed', `the broker refused the message: ${text}`, { cause, retriable: false });
  if (type !== undefined) return new Failure('connector_failed', `the broker answered: ${text}`, { cause });
  if ((cause as LibraryError).name === 'KafkaJSRequestTimeoutError')
    return new Failure('connector_timeout', 'the broker does not answer', { cause });
  return new Failure('connector_refused', text, { cause });
}

/** The library wraps what failed in how often it was tried. */
function deepest(error: unknown): unknown {
  let at = error;
  while (at instanceof Error && at.name === 'KafkaJSNumberOfRetriesExceeded' && at.cause instanceof Error)
    at = at.cause;
  return at;
}
