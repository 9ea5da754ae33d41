import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { makeFolder } from '../../../../../test/support/servers/program.ts';
import { failureOf, openConnector, run } from '../testing/bed.ts';
import { SearchServer } from '../testing/server.ts';

describe.skipIf(openssl === undefined)('S-87: a search engine over TLS', () => {
  let directory: string;
  /** The one asks clients for a certificate, the other does not. */
  let strict: SearchServer;
  let open: SearchServer;
  let old: SearchServer;

  beforeAll(async () => {
    directory = makeFolder('search-tls');
    const certificates = new Certificates(directory);
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    certificates.signed('client', '/CN=library', 'extendedKeyUsage=clientAuth');
    certificates.signed('unknown', '/CN=library', 'extendedKeyUsage=clientAuth', 'other');
    const file = (name: string) => readFileSync(join(directory, name));
    const own = { cert: file('server.pem'), key: file('server.key'), ca: file('ca.pem') };
    strict = await SearchServer.start({ ...own, requestCert: true, rejectUnauthorized: true });
    open = await SearchServer.start(own);
    old = await SearchServer.start({ ...own, minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL@SECLEVEL=0' });
  });
  afterEach(() => {
    for (const server of [strict, open, old]) server.seen.length = 0;
  });
  afterAll(async () => {
    await Promise.all([strict, open, old].map((server) => server?.close()));
    rmSync(directory, { recursive: true });
  });

  const connector = (written: Record<string, unknown>) =>
    openConnector({ index: 'books', timeout: 10_000, ...written }, connectorServices({ directory }));
  const client = { cert: 'client.pem', key: 'client.key' };

  test.each([
    ['a certificate of its own', () => ({ url: strict.named }), client],
    ['an authority', () => ({ url: open.named }), {}],
    ['several nodes', () => ({ nodes: [open.named, strict.named] }), client],
    ['the name that is expected', () => ({ url: open.url }), { server_name: 'localhost' }],
    ['verification switched off', () => ({ url: open.url }), { ca_cert: undefined, insecure_skip_verify: true }],
  ])('is asked with %s', async (_, place, tls) => {
    const made = await connector({ ...place(), tls: { ca_cert: 'ca.pem', ...tls } });
    await run(made, { verb: 'create' }, { payload: { id: 'b1', title: 'emma' } });
    const servers = [strict, open].filter(({ seen }) => seen.length > 0);
    expect(servers.flatMap(({ seen }) => seen.map(({ path }) => path)).toSorted()).toEqual(
      [...servers.map(() => '/_cluster/health'), '/books/_doc/b1'].toSorted(),
    );
  });

  test.each([
    ['no authority that is known', () => ({ url: open.named }), { ca_cert: undefined }, /self-signed|unable to verify/],
    ['another authority', () => ({ url: open.named }), { ca_cert: 'other.pem' }, /certificate/],
    ['a block that is disabled', () => ({ url: open.named }), { enabled: false }, /self-signed|unable to verify/],
    ['another name', () => ({ url: open.url }), {}, /does not match certificate's altnames/],
    ['another name that is expected', () => ({ url: open.named }), { server_name: 'elsewhere' }, /altnames/],
    ['no certificate of its own', () => ({ url: strict.named }), {}, /localhost/],
    [
      'a certificate that is not of its authority',
      () => ({ url: strict.named }),
      { cert: 'unknown.pem', key: 'unknown.key' },
      /localhost/,
    ],
    ['a server that speaks an old version alone', () => ({ url: old.named }), {}, /localhost/],
    ['a file that is not there', () => ({ url: open.named }), { ca_cert: 'none.pem' }, /cannot read "none/],
    ['a server that speaks no TLS', () => ({ url: open.named.replace('https', 'http') }), {}, /localhost/],
  ])('is not asked with %s, and no credentials are sent', async (_, place, tls, message) => {
    const written = { ...place(), username: 'library', password: 'geheim', tls: { ca_cert: 'ca.pem', ...tls } };
    const failure = await failureOf(connector(written));
    expect(failure.message).toMatch(message);
    expect(failure.message).not.toContain('geheim');
    expect([strict, open, old].flatMap(({ seen }) => seen)).toEqual([]);
  });
});
