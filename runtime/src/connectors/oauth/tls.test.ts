import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { Certificates, openssl } from '../../../../test/support/certificates.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { OpenIdStandIn } from '../../../../test/support/servers/openid/stand-in.ts';
import { ask, begin, opened, refusal } from './testing/bed.ts';

describe.skipIf(openssl === undefined)('S-87: a provider over TLS', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'oauth-tls-'));
    const certificates = new Certificates(folder);
    for (const name of ['ca', 'other']) certificates.authority(name);
    certificates.signed('server', '/CN=server', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=shop', 'extendedKeyUsage=clientAuth');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  async function provider(options: object = {}): Promise<OpenIdStandIn> {
    const read = (name: string) => readFileSync(join(folder, name));
    const tls = { cert: read('server.pem'), key: read('server.key'), ca: read('ca.pem'), ...options };
    const made = await OpenIdStandIn.start({ tls, host: 'localhost' });
    onTestFinished(() => made.stop());
    return made;
  }

  const services = () => connectorServices({ directory: folder });
  const login = (issuer: string, tls: Record<string, unknown> | undefined) =>
    opened('oidc', issuer, { tls, timeout: 2_000 }, services());

  test('is trusted by its authority, by its name, and by no other', async () => {
    const { issuer } = await provider();
    const trusted = await login(issuer, { ca_cert: 'ca.pem' });
    expect(await begin(trusted)).toMatchObject({ auth_url: expect.stringContaining(`${issuer}/authorize`) });
    for (const tls of [undefined, { ca_cert: 'other.pem' }, { ca_cert: 'ca.pem', server_name: 'evil.test' }])
      expect((await refusal(begin(await login(issuer, tls))))[0]).toBe('provider_unavailable');
    const off = await login(issuer, { ca_cert: 'other.pem', insecure_skip_verify: true });
    expect(await begin(off)).toMatchObject({ state: expect.any(String) });
    expect((await refusal(begin(await login(issuer, { ca_cert: 'ca.pem', enabled: false }))))[0]).toBe(
      'provider_unavailable',
    );
  });

  test('is shown the certificate of this service', async () => {
    const asking = await provider({ requestCert: true, rejectUnauthorized: true });
    const connector = await login(asking.issuer, { ca_cert: 'ca.pem', cert: 'client.pem', key: 'client.key' });
    const { auth_url: url } = await begin(connector);
    expect(await ask(connector, 'callback', asking.signIn(url))).toMatchObject({ provider_id: 'ana' });
    expect((await refusal(begin(await login(asking.issuer, { ca_cert: 'ca.pem' }))))[0]).toBe('provider_unavailable');
  });

  test('with a certificate that cannot be read does not open', async () => {
    const opening = login('https://localhost', { ca_cert: 'missing.pem' });
    expect((await refusal(opening))[0]).toBe('connector_failed');
  });
});
