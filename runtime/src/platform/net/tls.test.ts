import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configured } from '../../../../test/support/configured.ts';
import { connectorServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { HttpClient, type HttpFailure } from './request.ts';
import { readTls } from './tls.ts';
import { tlsBlock } from './tls-spec.ts';

let directory: string;
const cleanups: (() => unknown)[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'svc-tls-'));
  cleanups.push(() => rm(directory, { recursive: true }));
  const good = await certificate('localhost');
  const other = await certificate('other.example');
  await Promise.all([
    writeFile(join(directory, 'ca.pem'), good.cert),
    writeFile(join(directory, 'key.pem'), good.private),
    writeFile(join(directory, 'other.pem'), other.cert),
    writeFile(join(directory, 'text.pem'), 'no certificate'),
    writeFile(join(directory, 'bad.pem'), '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
  ]);
});
afterAll(async () => {
  for (const clean of cleanups.reverse()) await clean();
});

function certificate(name: string, options: { notBeforeDate?: Date; notAfterDate?: Date } = {}) {
  return generate([{ name: 'commonName', value: name }], {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames: [{ type: 2, value: name }] },
    ],
    ...options,
  });
}

async function serve(options: { cert: string; private: string }, more: object = {}): Promise<string> {
  const server = createServer({ cert: options.cert, key: options.private, ...more }, (request, response) => {
    const peer = (request.socket as TLSSocket).getPeerCertificate();
    response.end(String(peer.subject?.CN ?? 'anonymous'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `https://localhost:${(server.address() as AddressInfo).port}`;
}

async function ask(origin: string, tls: Record<string, unknown> | undefined, services = connectorServices()) {
  const material = await readTls(tls && configured(tlsBlock, tls), { ...services, directory });
  const client = new HttpClient({ tls: material, maxResponse: 1000 });
  cleanups.push(() => client.close());
  const answer = await client.send({ method: 'GET', origin, path: '/', headers: [], deadline: 10_000 });
  return answer.body.toString();
}

async function failure(promise: Promise<unknown>): Promise<HttpFailure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

test('S-87: a peer is verified by authority and name, and presents what it is asked for', async () => {
  const good = await certificate('localhost');
  await writeFile(join(directory, 'trusted.pem'), good.cert);
  const origin = await serve(good, { requestCert: true, rejectUnauthorized: false });
  expect(await ask(origin, { ca_cert: 'trusted.pem' })).toBe('anonymous');
  expect(await ask(origin, { ca_cert: 'trusted.pem', cert: 'ca.pem', key: 'key.pem' })).toBe('localhost');
  const refused = { code: 'connector_refused', sent: false };
  expect(await failure(ask(origin, undefined))).toMatchObject(refused);
  expect(await failure(ask(origin, { ca_cert: 'other.pem' }))).toMatchObject(refused);
  expect(await failure(ask(origin.replace('localhost', '127.0.0.1'), { ca_cert: 'trusted.pem' }))).toMatchObject(
    refused,
  );
  expect(await failure(ask(origin, { ca_cert: 'trusted.pem', server_name: 'other.example' }))).toMatchObject(refused);
  const named = origin.replace('localhost', '127.0.0.1');
  expect(await ask(named, { ca_cert: 'trusted.pem', server_name: 'localhost' })).toBe('anonymous');
});

test('R-79: an expired certificate is a typed failure', async () => {
  const old = await certificate('localhost', {
    notBeforeDate: new Date('2020-01-01'),
    notAfterDate: new Date('2020-02-01'),
  });
  await writeFile(join(directory, 'old.pem'), old.cert);
  const refused = await failure(ask(await serve(old), { ca_cert: 'old.pem' }));
  expect(refused).toMatchObject({ code: 'connector_refused', sent: false });
  expect(refused.message).toMatch(/expired/);
});

test('S-87: TLS 1.1 is not spoken', async () => {
  const good = await certificate('localhost');
  const origin = await serve(good, { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'ALL:@SECLEVEL=0' });
  expect((await failure(ask(origin, { insecure_skip_verify: true }))).code).toBe('connector_refused');
});

test('S-79: skipped verification works, and warns in staging and production only', async () => {
  const origin = await serve(await certificate('other.example'));
  const warned: string[] = [];
  for (const environment of ['development', 'staging', 'stage', 'production']) {
    const log = recordingLog();
    const services = connectorServices({ log, environment, production: environment === 'production' });
    expect(await ask(origin, { insecure_skip_verify: true }, services)).toBe('anonymous');
    if (log.lines.some((line) => line.level === 'warn')) warned.push(environment);
  }
  expect(warned).toEqual(['staging', 'stage', 'production']);
});

test('S-87: material that cannot be loaded is refused by name', async () => {
  const problems = await Promise.all(
    [
      { ca_cert: 'none.pem' },
      { ca_cert: 'text.pem' },
      { cert: 'other.pem', key: 'key.pem' },
      { cert: 'bad.pem', key: 'key.pem' },
    ].map((tls) => failure(ask('https://localhost:1', tls))),
  );
  expect(problems.map((problem) => problem.message.replaceAll(/: error:.*|: ENOENT.*/g, ''))).toEqual([
    'tls.ca_cert: cannot read "none.pem"',
    'tls.ca_cert: "text.pem" is not a PEM file',
    'tls: the certificates cannot be used',
    'tls: the certificates cannot be used',
  ]);
});

test('a disabled block has no effect', async () => {
  expect(await readTls(configured(tlsBlock, { enabled: false, ca_cert: 'none.pem' }), connectorServices())).toBe(
    undefined,
  );
});
