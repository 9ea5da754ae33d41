import { Failure } from '../../../../foundation/errors/failure.ts';

/** Longer paths are cut: a hostile name fills neither log nor answer. */
const longest = 200;

/** A value of the message that is not sent to the server; `path` is where it is. */
export function refusedValue(path: string, code: string, problem: string): Failure {
  const field = path.length > longest ? `${path.slice(0, longest)}…` : path;
  const message = `"${field}" ${problem}`;
  return new Failure('value_refused', message, { fields: [{ field, code, message }] });
}
