import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../../test/support/certificates.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../../test/support/folder.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { RunningServer } from '../../../../../test/support/servers/server.ts';
import { ftpAccess, startVsftpd, vsftpd } from '../../../../../test/support/servers/vsftpd.ts';
import { obstacleOf } from '../../../service/running/health/reach.ts';
import { ask, failureOf } from '../testing/asking.ts';
import { ftpBed, type WrittenBlock } from './testing/bed.ts';

const never = new AbortController().signal;

describe.skipIf(!vsftpd.isInstalled() || openssl === undefined)('FTP over TLS', () => {
  let folder: string;
  let server: RunningServer;
  const cleanups: (() => unknown)[] = [];
  beforeAll(async () => {
    folder = folderWith();
    const certificates = new Certificates(folder);
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=localhost', 'subjectAltName=DNS:localhost');
    server = await startVsftpd(() =>
      [
        ...['ssl_enable=YES', 'allow_anon_ssl=YES', 'force_anon_logins_ssl=YES', 'force_anon_data_ssl=YES'],
        ...[`rsa_cert_file=${folder}/server.pem`, `rsa_private_key_file=${folder}/server.key`],
        ...['require_ssl_reuse=YES', 'ssl_ciphers=HIGH'],
      ].join('\n'),
    );
  });
  afterAll(async () => {
    await server.stop();
    rmSync(folder, { recursive: true });
  });
  afterEach(async () => {
    for (const clean of cleanups.splice(0).reverse()) await clean();
  });

  async function opened(written: WrittenBlock) {
    const bed = await ftpBed({ host: 'localhost', ...written }, server.address);
    cleanups.push(() => bed.close());
    const connector = bed.connector({}, connectorServices({ directory: folder }));
    cleanups.push(() => connector.close(AbortSignal.abort()));
    await connector.open(never);
    return { bed, connector };
  }

  test('S-87: is spoken where tls is written and enabled: commands and files are encrypted', async () => {
    const sent: Buffer[] = [];
    const proxy = await faultProxy({ port: ftpAccess(server.address).port }, (piece) => sent.push(piece));
    cleanups.push(() => proxy.close());
    const tls = { enabled: true, ca_cert: 'ca.pem' };
    const { bed, connector } = await opened({ tls, port: proxy.port });
    const bytes = Buffer.alloc(300_000, 'content of the file');
    await ask(connector, 'write', { path: 'a.bin', content: bytes });
    expect((await bed.bytesOf('a.bin')).equals(bytes)).toBe(true);
    const [row] = (await ask(connector, 'read', { path: 'a.bin' })) as { readonly _content: Uint8Array }[];
    expect(Buffer.from(row?._content ?? []).equals(bytes)).toBe(true);
    expect(await ask(connector, 'list', { path: '' })).toMatchObject([{ path: 'a.bin', size: bytes.length }]);
    const text = Buffer.concat(sent).toString('latin1');
    expect(text).toMatch(/^AUTH TLS\r\n/);
    expect(text).not.toMatch(/USER|PASS|STOR|a\.bin/);
    const failure = await failureOf(opened({ tls: { ...tls, enabled: false } }));
    expect([failure.code, failure.message.replace(/:\d+/, ''), obstacleOf(failure)]).toEqual([
      'connector_refused',
      'localhost takes no sign-in without TLS: write a tls block',
      'tls',
    ]);
  });

  test('a server without TLS is one without TLS, and its credentials are not in doubt', async () => {
    const plain = await startVsftpd();
    cleanups.push(() => plain.stop());
    const failure = await failureOf(opened({ tls: { enabled: true }, port: ftpAccess(plain.address).port }));
    expect([failure.code, failure.message.replace(/:\d+/, ''), obstacleOf(failure)]).toEqual([
      'connector_refused',
      'localhost cannot be used: AUTH TLS is refused (530)',
      'tls',
    ]);
  });

  test.each([
    ['another authority', { ca_cert: 'other.pem' }, 'localhost'],
    ['no authority', {}, 'localhost'],
    ['another name', { ca_cert: 'ca.pem' }, '127.0.0.1'],
    ['another written name', { ca_cert: 'ca.pem', server_name: 'files.example.com' }, 'localhost'],
  ])('S-87: a certificate of %s is refused', async (_, tls, host) => {
    const written = { enabled: true, insecure_skip_verify: false, ...tls };
    expect((await failureOf(opened({ tls: written, host }))).code).toBe('connector_refused');
  });

  test.each([
    ['a written name', { ca_cert: 'ca.pem', server_name: 'localhost' }, '127.0.0.1'],
    ['no verification', { insecure_skip_verify: true }, '127.0.0.1'],
  ])('a certificate of %s is taken', async (_, tls, host) => {
    const { connector } = await opened({ tls: { enabled: true, ...tls }, host });
    expect(await ask(connector, 'exists', { path: 'x' })).toEqual({ exists: false, path: 'x' });
  });

  test('a certificate file that is missing ends the start', async () => {
    const failure = await failureOf(opened({ tls: { enabled: true, ca_cert: join(folder, 'none.pem') } }));
    expect(failure.message).toContain('tls.ca_cert');
  });
});
