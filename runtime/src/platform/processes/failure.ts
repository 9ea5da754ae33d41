import { Failure } from '../../foundation/errors/failure.ts';
import type { Exit } from './exit.ts';

/** Errors of the system that mean that there is no room for another process now. */
const full = new Set(['EMFILE', 'ENFILE', 'EAGAIN', 'ENOMEM']);

/** Why a program could not be started. */
export function startFailure(file: string, cause: unknown): Failure {
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason = `"${file}" cannot be started: ${message}`;
  if (code === 'E2BIG') return new Failure('value_refused', 'the arguments of the command are too long', { cause });
  if (code !== undefined && full.has(code)) return new Failure('connector_busy', reason, { cause });
  return new Failure('connector_refused', reason, { cause });
}

/** Why a program failed by the way it ended; undefined when it did not. */
export function exitFailure({ status, signal }: Exit, stderr: string): Failure | undefined {
  if (status === 0) return undefined;
  const how = signal === undefined ? `exit status ${status}` : `ended by ${signal}`;
  return new Failure('connector_failed', `command failed: ${how}${stderr === '' ? '' : `, stderr: ${stderr}`}`);
}
