import { asFailure } from '../../errors/classify.ts';
import { Failure } from '../../errors/failure.ts';
import { errorText } from '../../observe/mask.ts';

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
const credentialReplies = /^(NOAUTH|WRONGPASS|NOPERM)\b|invalid username-password pair|password authentication failed/;

/** Names the cause of a failed connection, by the codes of its error and of the errors that caused it. */
export function obstacleOf(error: unknown): Obstacle {
  for (let at = error, depth = 0; at instanceof Error && depth < 6; at = at.cause, depth++) {
    if (at instanceof AggregateError && at.errors.length > 0) return obstacleOf(at.errors[0]);
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (credentialCodes.has(code) || credentialReplies.test(at.message)) return 'credentials';
    if (at instanceof Failure && [401, 403].includes(at.upstream?.status ?? 0)) return 'credentials';
    if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name';
    if (isTls(code, at.message)) return 'tls';
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

function isTls(code: string, message: string): boolean {
  return (
    /^(ERR_TLS_|ERR_SSL_|CERT_|SELF_SIGNED_|DEPTH_ZERO_|UNABLE_TO_|ERR_OSSL_)/.test(code) ||
    code === 'EPROTO' ||
    /does not support SSL/i.test(message)
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
