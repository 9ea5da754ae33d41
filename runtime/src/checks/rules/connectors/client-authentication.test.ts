import { expect, test } from 'vitest';
import { problemsOf } from '../testing/problems.ts';

const fetching = (lines: string, more = '') =>
  `connector "erp" {\n  type = "http"\n  base_url = "https://erp.example.test"\n  auth {\n    type = "client_credentials"\n    token_url = "https://id.example.test/token"\n    client_id = "shop"\n    ${lines}\n  }\n  ${more}\n}\n`;
const account = (lines: string) =>
  `connector "company" {\n  type = "oauth"\n  driver = "oidc"\n  issuer = "https://id.example.test"\n  client_id = "shop"\n  redirect_uri = "https://shop.example.test/callback"\n  ${lines}\n}\n`;

const key = 'client_key = "keys/client.pem"';

/** The same lines in the `auth` of a client, and in the block of a connector. */
const refusals: readonly (readonly [what: string, lines: string])[] = [
  ['private_key_jwt without a key', 'client_auth = "private_key_jwt"'],
  ['a key without a method', key],
  ['a key beside basic', `client_auth = "basic"\n client_secret = "s"\n ${key}`],
  ['basic without a secret', 'client_auth = "basic"'],
  ['post without a secret', 'client_auth = "post"'],
  ['none with a secret', 'client_auth = "none"\n client_secret = "s"'],
  ['private_key_jwt with a secret', `client_auth = "private_key_jwt"\n client_secret = "s"\n ${key}`],
  ['tls without a certificate', 'client_auth = "tls"'],
  ['a public key', 'client_auth = "private_key_jwt"\n client_key = "-----BEGIN PUBLIC KEY-----"'],
  ['a method that there is not', 'client_auth = "client_secret_jwt"'],
];

test.each(refusals)('%s is refused', (_what, lines) => {
  for (const text of [fetching(lines), account(lines)])
    expect(problemsOf(text)).toContainEqual(
      expect.stringMatching(/^(missing-attribute|conflicting-attributes|invalid-value|unknown-value)/),
    );
});

test.each([
  [
    'what needs a client',
    'connector "erp" {\n type = "http"\n base_url = "https://a.test"\n auth {\n type = "oauth2"\n token_url = "https://b.test"\n refresh_token = "r"\n client_secret = "s"\n }\n}\n',
  ],
  [
    'a method of no client of OAuth',
    'connector "erp" {\n type = "http"\n base_url = "https://a.test"\n auth {\n type = "bearer"\n token = "t"\n client_id = "a"\n client_secret = "s"\n client_auth = "post"\n }\n}\n',
  ],
  [
    'a provider in clear by tls',
    fetching('client_auth = "tls"', 'tls {\n cert = "a.pem"\n key = "a.key"\n }').replace('https://id', 'http://id'),
  ],
])('%s is refused', (_what, text) => {
  expect(problemsOf(text)).toContainEqual(
    expect.stringMatching(/^(missing-attribute|conflicting-attributes|invalid-value)/),
  );
});

test.each([
  ['no method', 'client_secret = "s"'],
  ['basic', 'client_auth = "basic"\n client_secret = ""'],
  ['post', 'client_auth = "POST"\n client_secret = "s"'],
  ['the name of the standard', 'client_auth = "client_secret_post"\n client_secret = "s"'],
  ['private_key_jwt', `client_auth = "private_key_jwt"\n ${key}`],
  ['none', 'client_auth = "none"'],
])('%s is accepted', (_what, lines) => {
  for (const text of [fetching(lines), account(lines)])
    expect(problemsOf(text).filter((each) => !each.startsWith('info unused'))).toEqual([]);
});
