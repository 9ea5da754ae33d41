import { Failure } from '../../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../../foundation/errors/failures.ts';

/** Status codes of SFTP 3 (draft-ietf-secsh-filexfer-02, section 7). */
export const status = { eof: 1, missing: 2, denied: 3, failed: 4, unsupported: 8 } as const;

interface Meaning {
  readonly code: FailureCode;
  readonly says: string;
  readonly retriable?: boolean;
}

const meanings: Readonly<Record<number, Meaning>> = {
  [status.missing]: { code: 'not_found', says: 'there is no such file' },
  [status.denied]: { code: 'connector_failed', says: 'the server does not permit it', retriable: false },
  [status.failed]: { code: 'connector_failed', says: 'the server could not do it' },
  [status.unsupported]: { code: 'connector_failed', says: 'the server cannot do that', retriable: false },
};

/** The number of an answer that says that a request failed; undefined of any other error. */
export function statusOf(error: unknown): number | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === 'number' ? code : undefined;
}

/** The failure of what was done with a path. What is a Failure already stays as it is. */
export function failureOf(error: unknown, path: string): unknown {
  if (error instanceof Failure) return error;
  const number = statusOf(error);
  if (number === undefined) return lost(error);
  const at = path === '' ? 'the folder' : `"${path}"`;
  const { code, says, retriable } = meanings[number] ?? { code: 'connector_failed', says: `status ${number}` };
  return new Failure(code, `${at}: ${says}`, { cause: error, ...(retriable !== undefined && { retriable }) });
}

/** The failure of a connection that was not made, or was lost. */
export function lost(error: unknown): Failure {
  if (error instanceof Failure) return error;
  const { message, level } = error as Error & { readonly level?: string };
  const code = level === 'client-timeout' ? 'connector_timeout' : 'connector_refused';
  return new Failure(code, `the connection was lost: ${message}`, { cause: error });
}
