import { Failure } from '../../../foundation/errors/failure.ts';

/** The decoded body of a signal. Throws a Failure when it is not an object. */
export function signalBody(value: unknown): Readonly<Record<string, unknown>> {
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Failure('body_undecodable', 'the body of a signal must be a JSON object');
}
