import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';

interface Meaning {
  readonly code: FailureCode;
  readonly retriable?: boolean;
}

/** What the replies of a server mean (RFC 959, section 4.2). */
const meanings: Readonly<Record<number, Meaning>> = {
  421: { code: 'connector_busy' },
  425: { code: 'connector_refused' },
  426: { code: 'connector_refused' },
  450: { code: 'connector_busy' },
  452: { code: 'connector_refused' },
  530: { code: 'connector_refused', retriable: false },
  532: { code: 'connector_failed', retriable: false },
  534: { code: 'connector_failed', retriable: false },
  550: { code: 'connector_failed', retriable: false },
  552: { code: 'connector_refused' },
  553: { code: 'connector_failed', retriable: false },
};

/** Most characters of a reply that messages show. */
const shown = 200;

/** The number of a reply that refuses a command; undefined of any other error. */
export function replyOf(error: unknown): number | undefined {
  const { name, code } = error as { readonly name?: string; readonly code?: unknown };
  return name === 'FTPError' && typeof code === 'number' ? code : undefined;
}

/** Whether a reply says that the server has no such command (RFC 959: 500, 502, 504). */
export function isUnknownCommand(error: unknown): boolean {
  return [500, 501, 502, 504].includes(replyOf(error) ?? 0);
}

/** The failure of what was done with a path. What is a Failure already stays as it is. */
export function failureOf(error: unknown, path: string): unknown {
  if (error instanceof Failure) return error;
  const reply = replyOf(error);
  const at = path === '' ? 'the folder' : `"${path}"`;
  if (reply === undefined) return lost(error);
  const { code = 'connector_failed', ...options } = meanings[reply] ?? {};
  return new Failure(code, `${at}: the server answers ${textOf(error)}`, { cause: error, ...options });
}

/** The failure of a connection that was not made, or was lost. */
export function lost(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const isLate = /^Timeout|timed out|ETIMEDOUT/i.test((error as Error).message);
  return new Failure(isLate ? 'connector_timeout' : 'connector_refused', textOf(error), { cause: error });
}

/** One line, without control characters, which a terminal would follow: it comes from the server. */
function textOf(error: unknown): string {
  const line = (error as Error).message.replaceAll(/[\u0000-\u001f\u007f-\u009f]+/g, ' ').trim();
  return line.length > shown ? `${line.slice(0, shown)}…` : line;
}
