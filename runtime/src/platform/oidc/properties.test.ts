import fc from 'fast-check';
import { expect, test } from 'vitest';
import { AddressPolicy } from '../net/addresses/address-policy.ts';
import { providerErrorOf } from '../net/oauth/provider-error.ts';
import type { Attempt } from './authorization.ts';
import { readAuthorizationAnswer } from './authorization-answer.ts';
import { OpenIdFailure, ProviderFailures } from './failure.ts';
import { readMetadata, writtenMetadata } from './metadata.ts';
import { readTokenAnswer } from './token-answer.ts';

const failures = new ProviderFailures('idp');

/** Any JSON, with the members that matter more often than by chance. */
function answers(...names: string[]) {
  const texts = fc.oneof(
    fc.string(),
    fc.webUrl(),
    fc.constantFrom('https://idp.example.test', 'Bearer', 'code', 'RS256', 'a b', '\ud800', 'x'.repeat(300)),
  );
  const values = fc.oneof(texts, fc.array(texts), fc.jsonValue());
  return fc.oneof(fc.jsonValue(), fc.dictionary(fc.constantFrom(...names), values));
}

/** What it gives, or the failure that it may throw. */
function orFailure<T>(work: () => T): T | OpenIdFailure {
  try {
    return work();
  } catch (error) {
    if (error instanceof OpenIdFailure) return error;
    throw error;
  }
}

test('whatever a document says, it is metadata of that issuer, with addresses that may be used, or a failure', () => {
  const names = ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri', 'userinfo_endpoint'];
  const more = [
    'response_types_supported',
    'id_token_signing_alg_values_supported',
    'token_endpoint_auth_methods_supported',
  ];
  const right = {
    issuer: 'https://idp.example.test',
    authorization_endpoint: 'https://idp.example.test/a',
    token_endpoint: 'https://idp.example.test/t',
    jwks_uri: 'https://idp.example.test/k',
  };
  let accepted = 0;
  fc.assert(
    fc.property(answers(...names, ...more), fc.boolean(), (said, isCompleted) => {
      const document = isCompleted && typeof said === 'object' && !Array.isArray(said) ? { ...right, ...said } : said;
      const read = orFailure(() =>
        readMetadata(document, ['https://idp.example.test'], new AddressPolicy(['idp.example.test']), failures),
      );
      if (read instanceof OpenIdFailure) return;
      accepted++;
      expect(read.issuer).toBe('https://idp.example.test');
      for (const url of [read.authorizationEndpoint, read.tokenEndpoint, read.idTokens!.keysUrl])
        expect(new URL(url).protocol).toBe('https:');
      expect(read.idTokens!.algorithms.filter((name) => !/^(RS|PS|ES|Ed)/.test(name))).toEqual([]);
    }),
    { numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(10);
});

test('whatever a token endpoint answers, it is a token that can be sent, or a failure', () => {
  const names = [
    'access_token',
    'token_type',
    'refresh_token',
    'expires_in',
    'scope',
    'id_token',
    'error',
    'error_description',
  ];
  fc.assert(
    fc.property(answers(...names), fc.integer({ min: 100, max: 499 }), (value, status) => {
      const read = orFailure(() =>
        readTokenAnswer({ status, type: 'application/json', value }, ['secret'], 'basic', failures),
      );
      if (read instanceof OpenIdFailure) return;
      expect(read.accessToken).toMatch(/^[\t\x20-\x7e\x80-\xff]+$/);
      expect(read.expiresIn ?? 0).toBeGreaterThanOrEqual(0);
    }),
    { numRuns: 2_000 },
  );
});

test('whatever a browser brings back, it is a code with the right state, or a failure', () => {
  const attempt: Attempt = {
    provider: 'idp',
    state: 'right',
    nonce: 'n',
    codeVerifier: 'v',
    redirectUri: 'https://a.example.test',
    endsAt: Number.POSITIVE_INFINITY,
  };
  const metadata = writtenMetadata({
    authorization: 'https://a',
    token: 'https://b',
    issuer: 'https://idp.example.test',
  });
  let accepted = 0;
  fc.assert(
    fc.property(answers('state', 'code', 'iss', 'error', 'error_description'), fc.boolean(), (said, hasState) => {
      const given = typeof said === 'object' && said !== null && !Array.isArray(said) ? said : {};
      const answer = (hasState ? { code: 'c', ...given, state: 'right' } : given) as Record<string, unknown>;
      const read = orFailure(() => readAuthorizationAnswer(answer, attempt, 'idp', 0, metadata, failures));
      if (read instanceof OpenIdFailure) return;
      accepted++;
      expect([answer['state'], answer['code'], answer['iss'] ?? 'https://idp.example.test']).toEqual([
        'right',
        read,
        'https://idp.example.test',
      ]);
    }),
    { numRuns: 2_000 },
  );
  expect(accepted).toBeGreaterThan(10);
});

test('whatever error a provider says, it is short, of one line, and shows no secret', () => {
  const secret = fc.string({ minLength: 1, unit: 'binary' });
  fc.assert(
    fc.property(answers('error', 'error_description'), secret, fc.string(), (said, hidden, around) => {
      const members = typeof said === 'object' && said !== null && !Array.isArray(said) ? said : {};
      const answer: Record<string, unknown> = { ...members, error_description: around + hidden + around };
      const error = providerErrorOf(answer, [hidden]);
      if (error === undefined) return;
      expect(error.code).toMatch(/^[\x20-\x7e]{1,64}$/);
      expect(error.description).toBe(undefined);
    }),
    { numRuns: 2_000 },
  );
});
