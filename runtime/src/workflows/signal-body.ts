import { Failure } from '../errors/failure.ts';
import { decodeJson } from '../formats/json.ts';

/** Reads the body of a signal. Throws a Failure when it is no JSON object. */
export function signalBody(text: string): Readonly<Record<string, unknown>> {
  const value = decodeJson(text);
  if (value !== null && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new Failure('body_undecodable', 'the body of a signal must be a JSON object');
}
