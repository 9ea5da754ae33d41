import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { AuthenticationRequest } from '../../foundation/contracts/http.ts';
import type { Auth } from '../../foundation/contracts/message.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import type { connectorAuth } from './auth-spec.ts';

export type AuthSettings = Values<typeof connectorAuth>;

/** What checking credentials needs of the service. */
export type VerifierServices = Pick<ConnectorServices, 'clock' | 'log' | 'lookup'>;

/** Why a request is refused, and headers that say how it could. */
export interface Refused {
  readonly refused: Failure;
  /** Names and values in turn. */
  readonly headers: readonly string[];
}

/** Decides about the credentials of a request. */
export interface CredentialCheck {
  /** Loads what is needed; rejects with a Failure that says what of the configuration cannot be used. */
  prepare?(): Promise<void>;
  check(asked: AuthenticationRequest): Auth | Refused | Promise<Auth | Refused>;
}

/** Answers 401; the body never says what was wrong with the credential, the challenge at most which check a token failed. */
export function unauthorized(challenge?: string): Refused {
  const headers = challenge === undefined ? [] : ['www-authenticate', challenge];
  return { refused: new Failure('authentication_required', 'unauthorized'), headers };
}
