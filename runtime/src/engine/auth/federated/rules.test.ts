import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from 'vitest';
import { quick, writtenAuth } from '../testing/bed.ts';

const base = 'base_url = "https://a.test"\n';
const company = (lines = '') =>
  `oidc "company" {\n issuer = "https://id.example.test"\n client_id = "app"\n ${lines}\n }`;
const device = (key: string) =>
  `social {\n device_idp {\n client_id = "a"\n team_id = "b"\n key_id = "c"\n private_key = ${key}\n }\n }`;
const key = (curve: string) =>
  JSON.stringify(generateKeyPairSync('ec', { namedCurve: curve }).privateKey.export({ type: 'pkcs8', format: 'pem' }));

const refusal = (lines: string) => {
  try {
    writtenAuth(lines);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
};

test.each([
  ['everything that is needed', base + quick(company()), undefined],
  ['a key of the right curve', base + quick(device(key('P-256'))), undefined],
  [
    'no address of the service',
    quick(company()),
    'identity providers send browsers back to this service, and nothing says where it is',
  ],
  [
    'an issuer without TLS',
    base + quick(company().replace('https://id', 'http://id')),
    '`issuer` does not begin with https://, which only an address of this machine need not',
  ],
  [
    'the issuer of many tenants',
    base + quick(company().replace('id.example.test', 'id.example.test/{tenant}')),
    '`issuer` holds a template, which is not supported: write the issuer of one tenant, once for each tenant',
  ],
  [
    'the name of an own way to sign in',
    base + quick(company().replace('"company"', '"password"')),
    '"password" cannot be the name of an identity provider',
  ],
  [
    'one name twice',
    base + quick(`${company()}\n sso {\n ${company()}\n }`),
    'two identity providers have the name "company"',
  ],
  ['no key', base + quick(device('"secret text"')), '`private_key` is not a private key in PEM'],
  ['no provider', base + quick('social {\n }'), '`social` names no provider'],
  [
    'linking of nothing',
    quick('sso {\n linking {\n on_match = "reject"\n }\n }'),
    'there is no identity provider whose identities could be linked',
  ],
  [
    'rules of linking at two places',
    base + quick(`${company()}\n account_linking {\n }\n sso {\n linking {\n on_match = "reject"\n }\n }`),
    '`account_linking` and `sso { linking }` are the same block',
  ],
  [
    'another method of a callback',
    base + quick(`${company()}\n endpoints {\n sso_callback {\n method = "PUT"\n }\n }`),
    'providers send browsers to sso_callback by GET',
  ],
  [
    'an address that is not verified',
    base + quick(`${company()}\n sso {\n linking {\n require_verification = false\n }\n }`),
    expect.stringContaining('anyone who claims it'),
  ],
])('%s', (_what, lines, problem) => {
  expect(refusal(lines)).toEqual(problem);
});
