import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { differentKeys, objectBed, writtenFor } from './testing/bed.ts';
import { after, opened, standIn } from './testing/opened.ts';
import { server } from './testing/server.ts';

test('A-02: every spelling of a key is signed as it is sent, and is another object', async () => {
  const { server: asked, call } = await standIn();
  const keys = differentKeys;
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
});
