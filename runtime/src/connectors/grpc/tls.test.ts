import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { Certificates, openssl } from '../../../../test/support/certificates.ts';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { folderWith } from '../../../../test/support/folder.ts';
import { reply } from '../../platform/http/testing/served.ts';
import { create } from './client/connector.ts';
import { grpcClient } from './client/spec.ts';
import { bindingOf, servedShop, shop } from './testing/bed.ts';

const never = new AbortController().signal;

describe.skipIf(openssl === undefined)('gRPC over TLS', () => {
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'grpc-tls-'));
    const certificates = new Certificates(folder);
    certificates.authority('ca');
    certificates.authority('other');
    certificates.signed('server', '/CN=server', 'subjectAltName=IP:127.0.0.1,DNS:orders.test');
    certificates.signed('client', '/CN=ada', 'extendedKeyUsage=clientAuth');
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const path = (name: string) => join(folder, name);

  async function ask(port: number, tls: Record<string, unknown> | undefined, more: Record<string, unknown> = {}) {
    const directory = folderWith({ 'proto/shop.proto': shop });
    const written = {
      target: `127.0.0.1:${port}`,
      proto_path: 'proto',
      connect_timeout: 700,
      retry_count: 1,
      tls,
      ...more,
    };
    const client = create('orders', configured(grpcClient.config, written), connectorServices({ directory }));
    const call = client.target?.prepare({
      verb: 'call',
      operation: 'GetOrder',
      target: undefined,
      query: undefined,
      timeout: 1000,
      exact: false,
      flow: 'f',
      label: 'l',
    });
    try {
      await client.open(never);
      return (await call?.({ params: {} }))?.value;
    } catch (error) {
      return (error as { code: string }).code;
    } finally {
      await client.close(AbortSignal.abort());
      rmSync(directory, { recursive: true, force: true });
    }
  }

  const flows = [bindingOf('GetOrder', ({ auth }) => reply({ text: auth.user_id || 'nameless' }))];

  test('S-87: the server is verified by authority and name; a failure never falls back to plain text', async () => {
    await using served = await servedShop(flows, { tls: { cert: path('server.pem'), key: path('server.key') } });
    const known = { ca_cert: path('ca.pem') };
    expect(await ask(served.port, known)).toEqual({ text: 'nameless' });
    expect(await ask(served.port, { ...known, server_name: 'orders.test' })).toEqual({ text: 'nameless' });
    expect(await ask(served.port, { ...known, server_name: 'another.test' })).toBe('connector_refused');
    expect(await ask(served.port, { ca_cert: path('other.pem') })).toBe('connector_refused');
    expect(await ask(served.port, { insecure_skip_verify: true })).toEqual({ text: 'nameless' });
    expect(await ask(served.port, undefined, { insecure: false })).toBe('connector_refused');
    expect(await ask(served.port, undefined)).toBe('connector_refused');
    await using plain = await servedShop(flows);
    expect(await ask(plain.port, known)).toBe('connector_refused');
    expect(await ask(plain.port, { ...known, enabled: false })).toEqual({ text: 'nameless' });
  });

  test('S-87: with ca_cert a client presents a certificate, whose name is that of the caller', async () => {
    const tls = { cert: path('server.pem'), key: path('server.key'), ca_cert: path('ca.pem') };
    await using served = await servedShop(flows, { tls });
    const known = { ca_cert: path('ca.pem') };
    expect(await ask(served.port, known)).toBe('connector_refused');
    expect(await ask(served.port, { ...known, cert: path('client.pem'), key: path('client.key') })).toEqual({
      text: 'ada',
    });
  });

  test('A-01: with auth of type mtls a caller is the name in its certificate', async () => {
    const tls = { cert: path('server.pem'), key: path('server.key'), ca_cert: path('ca.pem') };
    await using served = await servedShop(flows, { tls, auth: { type: 'mtls' } });
    const known = { ca_cert: path('ca.pem') };
    expect(await ask(served.port, known)).toBe('connector_refused');
    expect(await ask(served.port, { ...known, cert: path('client.pem'), key: path('client.key') })).toEqual({
      text: 'ada',
    });
  });

  test('tls.enabled = false serves without encryption', async () => {
    const tls = { enabled: false, cert: path('server.pem'), key: path('server.key') };
    await using served = await servedShop(flows, { tls });
    expect(await ask(served.port, undefined)).toEqual({ text: 'nameless' });
  });
});
