import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { Bucket, server, type TestServer } from '../../../runtime/src/connectors/files/object-store/testing/server.ts';
import { startScenario } from '../scenario.ts';

const example = join(import.meta.dirname, '..', '..', '..', 'examples', 'uploads-s3');
const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

test.skipIf(server === undefined)('uploads-s3 stores, lists, reads and links invoices', async () => {
  const { url, access, secret } = server as TestServer;
  const bucket = new Bucket(server as TestServer, `svc-test-${randomUUID()}`);
  await bucket.make();
  const env = {
    BUCKET: bucket.name,
    S3_ENDPOINT: url.origin,
    S3_ACCESS_KEY: access,
    S3_SECRET_KEY: secret,
    PREFIX: 'invoices/',
  };
  const service = await startScenario(example, { env });
  cleanups.push(() => service.end());
  const stored = await service.ask('POST', '/invoices/a-1', { customer: 'Ada', cents: 250 });
  expect(stored.status).toBe(200);
  expect(JSON.parse(String(await bucket.bytesOf('invoices/a-1.json')))).toEqual({
    id: 'a-1',
    customer: 'Ada',
    cents: 250,
  });
  expect((await service.ask('GET', '/invoices')).body).toEqual({ invoices: ['a-1.json'] });
  expect((await service.ask('GET', '/invoices/a-1')).body).toEqual({ customer: 'Ada', cents: 250 });
  expect((await service.ask('GET', '/invoices/none')).status).toBe(404);
  expect((await service.ask('POST', '/invoices/..%2Fx', { customer: 'Eve', cents: 1 })).status).toBe(400);
  const { body } = await service.ask('GET', '/invoices/a-1/link');
  const read = await fetch((body as { readonly url: string }).url);
  expect(await read.json()).toEqual({ id: 'a-1', customer: 'Ada', cents: 250 });
  expect(await bucket.keys('')).toEqual(['invoices/a-1.json']);
});
