import { digestOf, positionOf } from '../identity/constant-time.ts';
import { providerErrorOf } from '../net/oauth/provider-error.ts';
import type { Attempt } from './authorization.ts';
import type { ProviderFailures } from './failure.ts';
import type { ProviderMetadata } from './metadata.ts';

/** What a browser brings back, from a query or a form; a parameter that came twice is a list. */
export type AuthorizationAnswer = Readonly<Record<string, unknown>>;

/** Characters of a code; longer ones are not sent on. */
const longestCode = 8_192;

/**
 * The code of an answer of the authorization endpoint (RFC 6749, 4.1.2) that belongs to the attempt and comes from its
 * issuer (RFC 9207). Throws an OpenIdFailure for an error of the provider, and for any other answer.
 */
export function readAuthorizationAnswer(
  answer: AuthorizationAnswer,
  attempt: Attempt,
  provider: string,
  now: number,
  { issuer, answersWithIssuer, idTokens }: ProviderMetadata,
  failures: ProviderFailures,
): string {
  if (attempt.provider !== provider)
    throw failures.notOurs('provider', 'the sign-in was begun with another identity provider');
  const { state, iss, code } = answer;
  if (typeof state !== 'string' || !isSame(state, attempt.state))
    throw failures.notOurs('state', 'the state is not that of the sign-in that was begun');
  if (!(now < attempt.endsAt)) throw failures.notOurs('time', 'the sign-in was begun too long ago');
  // One that was begun while the provider had no id_tokens, or was not kept whole, would be checked by less.
  if (idTokens !== undefined && (attempt.nonce ?? '') === '')
    throw failures.notOurs('nonce', 'the sign-in was begun without a nonce');
  const isNamed = iss !== undefined && issuer !== undefined;
  if ((isNamed && iss !== issuer) || (answersWithIssuer && iss === undefined))
    throw failures.notOurs('iss', 'the answer does not come from the identity provider of this sign-in');
  const error = providerErrorOf(answer, [attempt.codeVerifier]);
  if (error !== undefined) throw failures.refused(error, undefined);
  if (typeof code !== 'string' || code === '' || code.length > longestCode)
    throw failures.notOurs('code', 'the answer holds no code');
  return code;
}

/** Whether two texts are the same, in a time that says nothing of them. */
export function isSame(presented: string, expected: string): boolean {
  return positionOf(presented, [digestOf(expected)]) === 0;
}
