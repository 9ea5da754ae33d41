import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import { errorText } from '../../../foundation/observe/mask.ts';

/** Why something could not be used, in the words of `svc check`. */
export type Obstacle = 'refused' | 'timeout' | 'name' | 'tls' | 'credentials' | 'other';

/** A connector that could not be opened, and why. */
export interface UnreachableConnector {
  readonly connector: string;
  /** In the words of its configuration. */
  readonly type: string;
  readonly obstacle: Obstacle;
  /** For people: what was tried and why it failed, without credentials. */
  readonly reason: string;
  readonly failure: Failure;
}

const credentialCodes = new Set(['28P01', '28000', 'ER_ACCESS_DENIED_ERROR', 'NOAUTH', 'WRONGPASS', 'NOPERM']);
const credentialReplies =
  /^(NOAUTH|WRONGPASS|NOPERM)\b|invalid username-password pair|password authentication failed|ACCESS[-_]REFUSED|authorization violation|not authorized|bad user ?name or password|authentication (failed|failure|unsuccessful)|SASL authentication|all configured authentication methods failed|^(530|535)\b/i;

/** A server that has no TLS, or that takes no sign-in without it: the reply is 530, as to wrong credentials. */
const tlsReplies = /does not support SSL|AUTH TLS is refused|^530\b.*\b((START)?TLS|SSL|encryption)\b/i;

/** Names the cause of a failed connection, by the codes of its error and of the errors that caused it. */
export function obstacleOf(error: unknown): Obstacle {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if (at instanceof AggregateError && at.errors.length > 0) return obstacleOf(at.errors[0]);
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (isTls(code, at.message)) return 'tls';
    if (credentialCodes.has(code) || credentialReplies.test(at.message)) return 'credentials';
    if (at instanceof Failure && [401, 403].includes(at.upstream?.status ?? 0)) return 'credentials';
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name';
    if (code === 'ECONNREFUSED' || code === 'ECONNRESET' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH')
      return 'refused';
    if (
      code === 'ETIMEDOUT' ||
      at.name === 'TimeoutError' ||
      code.startsWith('UND_ERR_') ||
      code === 'connector_timeout'
    )
      return 'timeout';
  }
  return 'other';
}

const awayCodes: ReadonlySet<FailureCode> = new Set([
  'connector_refused',
  'connector_timeout',
  'connector_busy',
  'store_unavailable',
  'provider_unavailable',
  'peer_unavailable',
]);

/**
 * Whether a connector could not be opened since its peer was not reached, did not answer, or asks to come back: trying
 * again may help, as it is written. What a peer refuses, such as credentials or a queue that it does not have, is not that.
 */
export function isUnavailable(error: unknown): boolean {
  const obstacle = obstacleOf(error);
  if (obstacle === 'credentials' || obstacle === 'tls') return false;
  const failure = asFailure(error);
  const status = failure.upstream?.status ?? 0;
  return failure.retriable && (awayCodes.has(failure.code) || status >= 500 || status === 429);
}

/** What this machine does not give: a port, an address, a file. */
const ownCodes = new Set(['EADDRINUSE', 'EADDRNOTAVAIL', 'EACCES', 'EPERM', 'ENOENT', 'EISDIR', 'ENOTDIR', 'EMFILE']);
const peerCodes: ReadonlySet<FailureCode> = new Set([...awayCodes, 'connector_failed', 'upstream_error', 'not_found']);

/**
 * Whether a connector could not be opened since its peer lacks what is asked for: a queue, a consumer, a database, a
 * version of the protocol. It may be made while the service runs. Refused credentials and certificates are not that, nor
 * is what this machine does not give.
 */
export function isLacking(error: unknown): boolean {
  const obstacle = obstacleOf(error);
  if (obstacle === 'credentials' || obstacle === 'tls') return false;
  if (!peerCodes.has(asFailure(error, { connector: '' }).code)) return false;
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++)
    if ('code' in at && typeof at.code === 'string' && ownCodes.has(at.code)) return false;
  return true;
}

function isTls(code: string, message: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_OSSL_)/.test(code) ||
    code === 'EPROTO' ||
    tlsReplies.test(message)
  );
}

const words: Readonly<Record<Obstacle, string>> = {
  refused: 'connection refused',
  timeout: 'no response',
  name: 'the host name cannot be resolved',
  tls: 'TLS failed',
  credentials: 'the credentials were refused',
  other: '',
};

/**
 * Describes a connector that could not be opened. `hint` adds what is known from the configuration, such as a missing
 * variable.
 */
export function unreachable(
  connector: string,
  type: string,
  error: unknown,
  hint: string | undefined,
): UnreachableConnector {
  const failure = asFailure(error, { connector });
  const obstacle = obstacleOf(error);
  const text = errorText(failure);
  const word = words[obstacle];
  const reason = word === '' || text.toLowerCase().includes(word) ? text : `${word}: ${text}`;
  return { connector, type, obstacle, failure, reason: hint === undefined ? reason : `${reason} (${hint})` };
}
