import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openssl } from '../../../../../../test/support/certificates.ts';
import type { OpenIdProvider } from '../../../../../../test/support/servers/openid/provider.ts';
import {
  clientOf,
  methods,
  oddClientOf,
  oddSecrets,
  plain,
  type StrictProvider,
  strictProvider,
  type Written,
} from '../../../../platform/oidc/testing/strict-provider.ts';
import { authBed, quick } from '../../testing/bed.ts';
import { base } from '../testing/journey.ts';

const families = ['sso', 'social'] as const;
const attributes = (of: Written) =>
  Object.entries(of)
    .map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
    .join('\n ');

describe.skipIf(openssl === undefined)('a provider that holds clients to one method each', () => {
  let strict: StrictProvider;
  let provider: OpenIdProvider;
  beforeAll(async () => {
    strict = await strictProvider(families.map((family) => `${base}/auth/${family}/callback`));
    ({ provider } = strict);
  });
  afterAll(() => strict.stop());

  const blocks = {
    'an `oidc` block': ['sso', 'company', (lines: string) => `oidc "company" {\n ${lines}\n }`],
    'an `oidc` block within `sso`': [
      'sso',
      'company',
      (lines: string) => `sso {\n oidc "company" {\n ${lines}\n }\n }`,
    ],
    'the web provider': ['social', 'web_idp', (lines: string) => `social {\n web_idp {\n ${lines}\n }\n }`],
  } as const;
  type Block = keyof typeof blocks;

  /** Signs in a person who has no account yet, as a browser does. */
  async function signIn(block: Block, id: string, written: Written) {
    const [family, name, text] = blocks[block];
    const { folder } = strict;
    const files = { ca_cert: `${folder}/ca.pem`, cert: `${folder}/client.pem`, key: `${folder}/client.key` };
    const key = written['client_key'] === 'ec.pem' ? { client_key: `${folder}/ec.pem` } : {};
    const lines = { issuer: provider.issuer, client_id: id, ...written, ...key };
    const hcl = `${attributes(lines)}\n tls {\n ${attributes(files)}\n }`;
    const bed = await authBed(`base_url = "${base}"\n${quick(text(hcl))}`);
    const { headers } = await bed.ask(`${family}_start`, { params: { provider: name } });
    const cookie = (headers['set-cookie'] ?? '').split(';')[0] ?? '';
    const query = await provider.signIn(headers['location'] ?? '');
    return bed.ask(`${family}_callback`, { query, headers: { cookie } });
  }

  const rows = Object.keys(blocks).flatMap((block) =>
    [...Object.keys(methods), 'none'].map((method) => [block as Block, method] as const),
  );

  test.each(rows)('signs in by %s as a client of %s', async (block, method) => {
    const written = method === 'none' ? { client_auth: 'none' } : methods[method as keyof typeof methods][0];
    const { status, body } = await signIn(block, clientOf(method), written);
    expect([status, body]).toMatchObject([200, { action: 'created', access_token: expect.any(String) }]);
  });

  const odd = oddSecrets.flatMap((secret, index) =>
    (['basic', 'post'] as const).map((method) => [secret, method, index] as const),
  );

  test.each(odd)('signs in with the secret %s by %s', async (secret, method, index) => {
    const written = { client_secret: secret, client_auth: method };
    const { status, body } = await signIn('an `oidc` block', oddClientOf(index, method), written);
    expect([status, body]).toMatchObject([200, { action: 'created' }]);
  });

  test('does not sign in as a client that comes by another method', async () => {
    const { status, body } = await signIn('an `oidc` block', 'tls', { client_secret: plain, client_auth: 'basic' });
    expect([status, body.error?.code]).toEqual([401, 'sso_failed']);
  });
});
