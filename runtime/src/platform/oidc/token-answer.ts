import { headerProblem } from '../net/headers.ts';
import type { Proof } from '../net/oauth/client-authentication.ts';
import { remedyOf } from '../net/oauth/client-authentication.ts';
import { providerErrorOf } from '../net/oauth/provider-error.ts';
import type { ProviderFailures } from './failure.ts';
import type { ProviderAnswer } from './peer.ts';

/** What a token endpoint gave (RFC 6749, 5.1). */
export interface TokenAnswer {
  readonly accessToken: string;
  /** Undefined where the provider gave none. */
  readonly refreshToken: string | undefined;
  /** Seconds from now until the access token ends; undefined where the provider does not say. */
  readonly expiresIn: number | undefined;
  /** Undefined where they are those that were asked for. */
  readonly scopes: readonly string[] | undefined;
  readonly idToken: string | undefined;
}

/**
 * Reads the answer of a token endpoint. Throws an OpenIdFailure that holds no token, and nothing of `secrets`, for an
 * error of the provider, and for any other answer without a token. Some providers answer errors with status 200.
 */
export function readTokenAnswer(
  { status, value }: ProviderAnswer,
  secrets: readonly string[],
  method: Proof['method'],
  failures: ProviderFailures,
): TokenAnswer {
  const said = isObject(value) ? value : {};
  const error = providerErrorOf(said, secrets);
  if (error !== undefined) throw failures.refused(error, status, remedyOf(method, status, error.code));
  if (status < 200 || status > 299) {
    const remedy = remedyOf(method, status, undefined);
    const help = remedy === undefined ? '' : `; ${remedy}`;
    throw failures.unacceptable('token', `its token endpoint answered HTTP ${status}${help}`);
  }
  const { access_token: accessToken, token_type: type = 'Bearer', refresh_token: refresh, id_token: id } = said;
  if (!isToken(accessToken)) throw failures.unacceptable('token', 'its token endpoint answered no access token');
  if (typeof type !== 'string' || type.toLowerCase() !== 'bearer')
    throw failures.unacceptable('token type', 'its token endpoint answered a token that is not of the type Bearer');
  return {
    accessToken,
    refreshToken: isToken(refresh) ? refresh : undefined,
    expiresIn: secondsOf(said['expires_in']),
    scopes: scopesOf(said['scope']),
    idToken: typeof id === 'string' && id !== '' ? id : undefined,
  };
}

/** A token that can be sent in a header. */
function isToken(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && headerProblem('authorization', value) === undefined;
}

/** Some providers write the number as a text. */
function secondsOf(value: unknown): number | undefined {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof seconds === 'number' && Number.isFinite(seconds) && seconds >= 0 ? Math.floor(seconds) : undefined;
}

/** Separated by spaces; by commas too at some providers. */
function scopesOf(value: unknown): readonly string[] | undefined {
  return typeof value === 'string' ? value.split(/[\s,]+/).filter((scope) => scope !== '') : undefined;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
