import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { configured } from '../../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../../test/support/proxy.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { TargetBed, TargetConnector } from '../../../testing/target-conformance.ts';
import type { FilesBed } from '../../testing/files-bed.ts';
import { silentSender } from '../../testing/silent-sender.ts';
import { create } from '../connector.ts';
import { objectStoreConnector } from '../spec.ts';
import { Bucket, type TestServer } from './server.ts';

/** One bucket of each server for all tests of a file; each has a prefix of its own in it. */
const made = new Map<TestServer, Promise<Bucket>>();

export function testBucket(server: TestServer): Promise<Bucket> {
  const bucket = made.get(server) ?? newBucket(server);
  made.set(server, bucket);
  return bucket;
}

/** A bucket of its own. */
export async function newBucket(server: TestServer): Promise<Bucket> {
  const bucket = new Bucket(server, `svc-test-${randomUUID()}`);
  await bucket.make();
  return bucket;
}

/** What a connector of a test server is configured with. */
export function writtenFor(bucket: Bucket, prefix: string): Readonly<Record<string, unknown>> {
  const { url, access, secret, smallestPart } = bucket.server;
  return {
    bucket: bucket.name,
    endpoint: url.origin,
    access_key: access,
    secret_key: secret,
    region: 'us-east-1',
    prefix,
    part_size: smallestPart,
    retry: { delay: 1 },
  };
}

export function connectorOf(written: Readonly<Record<string, unknown>>, services: ConnectorServices): TargetConnector {
  return create('objects', configured(objectStoreConnector.config, written), services) as TargetConnector;
}

/** Keys that differ, though parts of a path between them are empty, `.`, encoded or composed. */
export const differentKeys: readonly string[] = [
  'a',
  'a/',
  'a//',
  '/a',
  '//a',
  'a/b',
  'a//b',
  './a/b',
  'a/./b',
  'a/.',
  '.',
  '/',
  'a b',
  'a+b',
  'a%20b',
  'a%2Bb',
  'a%2Fb',
  '%2e%2e/x',
  '..\\x',
  '%41',
  'A',
  '\u00e4',
  'a\u0308',
  '日本/語',
  ' a ',
  "a'()*!~",
  'a?b=c#d',
  'a;b:c@d&e,f$',
  '[a]{b}|^`"<>',
  'a...b/...',
  'a\nb\tc',
  '😀',
  `${'x'.repeat(255)}/`.repeat(3),
];

/** Those of them that a server can have. */
export function keysAt({ lacks }: TestServer): readonly string[] {
  return differentKeys.filter((key) => !key.includes('\n') || !lacks.includes('line feeds in keys'));
}

/** Everything below a prefix of its own. */
export async function objectBed(
  server: TestServer,
): Promise<FilesBed & { readonly bucket: Bucket; readonly prefix: string }> {
  const bucket = await testBucket(server);
  const prefix = `${randomUUID()}/`;
  const names = async () => (await bucket.keys(prefix)).map((key) => key.slice(prefix.length));
  return {
    bucket,
    prefix,
    connector: (written, services) => connectorOf({ ...writtenFor(bucket, prefix), ...written }, services),
    written: (path, size) => ({
      key: path,
      bucket: bucket.name,
      etag: expect.stringMatching(/^[0-9a-f]{32}(?:-\d+)?$/),
      size,
      uploaded: true,
    }),
    named: 'key',
    bytesOf: (path) => bucket.bytesOf(prefix + path),
    put: (path, bytes) => bucket.put(prefix + path, bytes),
    names,
    outside: ['..', '../x', 'a/../../x', '/../x', 'a/..', 'a/../b', 'x'.repeat(1025), '\ud800'],
    roots: [''],
    spellings: ['in/a.txt'],
    different: keysAt(server),
    hasFolders: false,
    appends: false,
    close: async () => {
      await Promise.all((await names()).map((name) => bucket.remove(prefix + name)));
    },
  };
}

/** The same behind a proxy, for the suite of all targets. */
export async function objectTargetBed(server: TestServer): Promise<TargetBed> {
  const { url, secret } = server;
  const proxy = await faultProxy({ host: url.hostname, port: Number(url.port) });
  const bed = await objectBed(server);
  const written = { endpoint: `http://127.0.0.1:${proxy.port}`, request_timeout: 5000 };
  return {
    spec: objectStoreConnector,
    connector: (services) => bed.connector(written, services),
    call: { verb: 'create', operation: 'write', target: 'echo.txt' },
    echo: async (execute, text) => {
      const path = `${Buffer.from(text).toString('hex').slice(0, 100)}-${text.length}.txt`;
      await execute({ params: { key: path, content: text } });
      return (await bed.bytesOf(path)).toString();
    },
    stuck: silentSender(),
    proxy,
    // The server of the tests writes each of them to its disk, and makes it known to its lists.
    sideBySide: 40,
    malformed: ['find', 'append', 'mkdir', 'GET /a'],
    secrets: [secret],
    close: async () => {
      await proxy.close();
      await bed.close();
    },
  };
}
