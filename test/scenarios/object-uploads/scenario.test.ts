import { request as httpRequest } from 'node:http';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { KeptObjects } from '../../../runtime/src/connectors/files/object-store/testing/kept-objects.ts';
import {
  type Answer,
  keys,
  type Seen,
  StandIn,
} from '../../../runtime/src/connectors/files/object-store/testing/stand-in.ts';
import { until } from '../../support/until.ts';
import { megabyte } from '../files/peer.ts';
import { type Scenario, startScenario } from '../scenario.ts';

let store: StandIn;
let objects: KeptObjects;
let service: Scenario | undefined;
/** Uploads that were begun and neither completed nor given up, with the parts that came. */
let open: Map<string, Buffer[]>;

beforeEach(async () => {
  store = await StandIn.start();
  objects = new KeptObjects();
  open = new Map();
  store.answer = answer;
});
afterEach(async () => {
  await service?.end();
  await store.close();
});

/** A store with uploads in parts: an object is there when its upload is completed. */
function answer(seen: Seen): Answer {
  const { pathname, searchParams } = new URL(seen.url, 'http://box');
  const key = decodeURIComponent(pathname.replace(/^\/box\/?/, ''));
  const id = searchParams.get('uploadId') ?? '';
  if (searchParams.has('uploads')) {
    const made = `upload-${store.seen.length}`;
    open.set(made, []);
    return { body: `<R><UploadId>${made}</UploadId></R>` };
  }
  const parts = open.get(id);
  if (parts === undefined) return objects.answer(seen);
  if (seen.method === 'PUT') {
    parts[Number(searchParams.get('partNumber')) - 1] = seen.body;
    return { headers: { etag: `"${searchParams.get('partNumber')}"` } };
  }
  open.delete(id);
  if (seen.method === 'DELETE') return { status: 204 };
  objects.put(key, Buffer.concat(parts));
  return { body: '<R><ETag>&quot;whole&quot;</ETag></R>' };
}

async function start(): Promise<Scenario> {
  service = await startScenario(import.meta.dirname, {
    env: { S3_ENDPOINT: store.url, S3_REGION: keys.region, S3_ACCESS_KEY: keys.access, S3_SECRET_KEY: keys.secret },
  });
  return service;
}

/** Sends some of a body and resolves when the store has parts of it. */
async function begin(address: string) {
  const headers = { 'content-length': 4 * megabyte };
  const request = httpRequest(`${address}/files/a.bin`, { method: 'PUT', headers });
  request.on('error', () => undefined);
  request.write(Buffer.alloc(2.5 * megabyte, 'n'));
  await until(() => [...open.values()].some((parts) => parts.length > 0));
  return request;
}

const sizeOf = () => {
  const { headers } = objects.answer({ method: 'HEAD', url: '/box/a.bin', headers: {}, body: Buffer.alloc(0) });
  return Number(headers?.['content-length']);
};

test('an upload in parts that a killed service has begun leaves what was there, and the next one is whole', async () => {
  objects.put('a.bin', 'as it was');
  const first = await start();
  await begin(first.address);
  await first.stop('SIGKILL');
  expect([sizeOf(), open.size]).toEqual([9, 1]);
  const second = await start();
  const body = new Uint8Array(3 * megabyte);
  expect((await fetch(`${second.address}/files/a.bin`, { method: 'PUT', body })).status).toBe(200);
  // What the killed service has begun is the lifecycle rule's of the bucket.
  expect([sizeOf(), open.size]).toEqual([3 * megabyte, 1]);
});

test('an upload in parts whose caller goes is given up', async () => {
  objects.put('a.bin', 'as it was');
  const { address } = await start();
  const request = await begin(address);
  request.destroy();
  await until(() => open.size === 0);
  expect(sizeOf()).toBe(9);
});
