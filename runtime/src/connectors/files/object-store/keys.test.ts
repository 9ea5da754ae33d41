import { randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { differentKeys, objectBed, writtenFor } from './testing/bed.ts';
import { after, opened, standIn } from './testing/opened.ts';
import { Bucket, server, type TestServer } from './testing/server.ts';
import { errorXml } from './testing/stand-in.ts';

describe('a key that begins with /', () => {
  const list = (prefix: string) => ({ body: `<L><Prefix>${prefix}</Prefix></L>` });

  test('is refused by a store that would take it away, which is asked once, and no other object is touched', async () => {
    const { server: asked, call } = await standIn();
    asked.answer = () => list('');
    for (const [operation, params] of [
      ['read', { key: '/a' }],
      ['exists', { key: '/a' }],
      ['write', { key: '/a', content: 'x' }],
      ['delete', { key: '/a' }],
      ['presign_get', { key: '/a' }],
      ['copy', { source: '/a', destination: 'b' }],
    ] as const) {
      const { code, message } = await failureOf(call(operation, params));
      expect([operation, code, message]).toEqual([
        operation,
        'value_refused',
        '"/a" cannot be addressed: the object store takes / away at the beginning of keys',
      ]);
    }
    expect(asked.seen.map(({ url }) => url)).toEqual(['/box?list-type=2&max-keys=1&prefix=%2F']);
    await call('write', { key: 'a/', content: 'x' });
    expect(asked.seen.at(-1)?.url).toBe('/box/a/');
  });

  test('is sent where the credentials may not list', async () => {
    const { server: asked, call } = await standIn();
    asked.answer = ({ url }) => (url.includes('?') ? { status: 403, body: errorXml('AccessDenied') } : undefined);
    await call('write', { key: '/a', content: 'x' });
    expect(asked.seen.at(-1)?.url).toBe('/box//a');
  });
});

test('A-02: every spelling of a key is signed as it is sent, and is another object', async () => {
  const { server: asked, call } = await standIn();
  const keys = differentKeys;
  asked.answer = ({ url }) => (url.includes('?') ? { body: '<L><Prefix>/</Prefix></L>' } : undefined);
  await call('write', { key: '/', content: 'x' });
  asked.seen.length = 0;
  for (const key of keys) await call('write', { key, content: key });
  expect(asked.seen.map(({ body }) => body.toString())).toEqual(keys);
  const sent = asked.seen.map(({ url }) => url);
  expect(sent).toEqual(
    keys.map(
      (key) =>
        `/box/${encodeURIComponent(key)
          .replaceAll('%2F', '/')
          .replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)}`,
    ),
  );
  expect(new Set(sent).size).toBe(keys.length);
});

test('S-81: a part .. is a part of a key where there is no prefix, and refused behind one', async () => {
  const keys = ['..', '../a', 'a/../b', 'a/..'];
  const { server: asked, call } = await standIn();
  for (const key of keys) await call('write', { key, content: 'x' });
  expect(asked.seen.map(({ url }) => url)).toEqual(keys.map((key) => `/box/${key}`));
  const behind = await standIn({ prefix: 'own' });
  for (const key of keys)
    for (const asking of [
      () => behind.call('write', { key, content: 'x' }),
      () => behind.call('presign_get', { key }),
      () => behind.call('list', { prefix: key }),
      () => behind.call('delete', { key }),
    ])
      expect([key, (await failureOf(asking())).code]).toEqual([key, 'value_refused']);
  expect(behind.server.seen).toEqual([]);
});

test('A-02: a key that is not text, and one that is too long with its prefix, are refused', async () => {
  const { server: asked, call } = await standIn({ prefix: 'own' });
  await call('write', { key: `${'x'.repeat(1020)}`, content: 'x' });
  asked.seen.length = 0;
  for (const key of ['\ud800', 'x'.repeat(1021), 'ä'.repeat(511)])
    expect((await failureOf(call('write', { key, content: 'x' }))).code).toBe('value_refused');
  expect(asked.seen).toEqual([]);
});

describe.skipIf(server === undefined)('a real store', () => {
  test('lists more than one answer holds, by folders where that is asked', async () => {
    const bed = await objectBed();
    after(() => bed.close());
    await Promise.all(['a/1', 'a/2', 'a/b/3', 'c'].map((key) => bed.put(key, Buffer.from('x'))));
    const { call } = await opened(writtenFor(bed.bucket, bed.prefix));
    const keys = async (params: object) =>
      ((await call('list', { ...params })).value as readonly { readonly key: string }[]).map(({ key }) => key);
    expect(await keys({})).toEqual(['a/1', 'a/2', 'a/b/3', 'c']);
    expect(await keys({ recursive: false })).toEqual(['a/', 'c']);
    expect(await keys({ key: 'a', recursive: false })).toEqual(['a/1', 'a/2', 'a/b/']);
    expect(await keys({ prefix: 'a/b' })).toEqual(['a/b/3']);
    expect(await keys({ prefix: 'a/' })).toEqual(['a/1', 'a/2', 'a/b/3']);
    for (const prefix of ['', null, undefined]) expect(await keys({ prefix })).toEqual(['a/1', 'a/2', 'a/b/3', 'c']);
  });

  test('keeps a / at the beginning of keys where there is no prefix', async () => {
    const bucket = new Bucket(server as TestServer, `svc-test-${randomUUID()}`);
    await bucket.make();
    const { prefix: _, ...written } = writtenFor(bucket, '');
    const { call } = await opened(written);
    after(() => Promise.all(['/a', 'a', 'x/../a'].map((key) => bucket.remove(key).catch(() => undefined))));
    for (const key of ['a', '/a', 'x/../a']) await call('write', { key, content: `of ${key}` });
    expect(await bucket.keys('')).toEqual(['/a', 'a', 'x/../a']);
    await call('delete', { key: '/a' });
    expect(await bucket.keys('')).toEqual(['a', 'x/../a']);
    const listed = (await call('list', {})).value as readonly { readonly key: string }[];
    expect(listed.map(({ key }) => key)).toEqual(['a', 'x/../a']);
  });
});
