import type { Failure, FailureOptions } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { Address } from './address.ts';

export type MakeFailure = (code: FailureCode, text: string, retriable?: boolean, more?: FailureOptions) => Failure;

/** Why there is no connection, as far as the network and TLS show. `place`: what messages call the server. */
export function unreachable(error: unknown, place: string, address: Address, failure: MakeFailure): Failure {
  const message = messageOf(error);
  if (/timeout/i.test(message) || codeOf(error) === 'ETIMEDOUT') {
    return failure('connector_timeout', `${place} did not answer within ${address.connectTimeout} ms`);
  }
  if (isTls(error, message)) return failure('connector_refused', `TLS with ${place} failed: ${message}`, false);
  return failure('connector_refused', `${place} cannot be reached: ${reasons[codeOf(error)] ?? message}`);
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused; nothing listens there (ECONNREFUSED)',
  ENOTFOUND: 'the host name is not known (ENOTFOUND)',
  EAI_AGAIN: 'the host name cannot be looked up now (EAI_AGAIN)',
  ECONNRESET: 'the connection was reset (ECONNRESET)',
  EHOSTUNREACH: 'there is no route to the host (EHOSTUNREACH)',
  ENETUNREACH: 'there is no route to the network (ENETUNREACH)',
  EMFILE: 'this process has no file descriptors left (EMFILE)',
};

function isTls(error: unknown, message: string): boolean {
  const code = codeOf(error);
  return /CERT|SSL|TLS|SIGNATURE|EPROTO/.test(code) || /SSL|TLS/.test(message);
}

/** The code of an error, or of what caused it; empty when it has no code. */
function codeOf(error: unknown): string {
  for (let at = error, depth = 0; at instanceof Error && depth < 5; at = at.cause, depth++) {
    if ('code' in at && typeof at.code === 'string') return at.code;
  }
  return '';
}

export function messageOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  return codeOf(error) || String(error);
}
