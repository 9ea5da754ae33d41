import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { objectBed, writtenFor } from './testing/bed.ts';
import { directStore } from './testing/direct-store.ts';
import { after, opened, standIn } from './testing/opened.ts';
import { server } from './testing/server.ts';

const spellings = [
  'a b',
  'a+b',
  'a%20b',
  'a%2Bb',
  '%41',
  'A',
  'ä',
  'a\u0308',
  '日本',
  '.a',
  'a.',
  ' a ',
  "a'()*!~",
  'a?b=c#d',
  'a;b:c@d',
  'a\\b',
  '[a]{b}|^`"<>',
  '😀',
  'a//b',
  '/a',
  'a/',
];

test('A-02: every spelling of a key is signed as it is sent, and is another object', async () => {
  const { server: asked, call } = await standIn();
  const keys = spellings.filter((key) => !/\/\/|^\/|\/$/.test(key));
  for (const key of keys) await call('write', { key, content: key });
  expect(asked.seen.map(({ body }) => body.toString())).toEqual(keys);
  const sent = asked.seen.map(({ url }) => url);
  expect(sent).toEqual(
    keys.map(
      (key) =>
        `/box/${encodeURIComponent(key).replace(/[!'()*]/g, (each) => `%${each.charCodeAt(0).toString(16).toUpperCase()}`)}`,
    ),
  );
  expect(new Set(sent).size).toBe(keys.length);
});

test('paths of flows have one spelling: no empty names, no / at the beginning', async () => {
  const { server: asked, call } = await standIn();
  for (const key of ['/a/b', 'a//b', './a/./b', 'a/c/../b']) await call('write', { key, content: 'x' });
  expect(new Set(asked.seen.map(({ url }) => url))).toEqual(new Set(['/box/a/b']));
});

test('A-02: a key that is not text, and one that is too long with its prefix, are refused', async () => {
  const { server: asked, call } = await standIn({ prefix: 'own' });
  for (const key of ['\ud800', 'x'.repeat(1021), 'ä'.repeat(511)])
    expect((await failureOf(call('write', { key, content: 'x' }))).code).toBe('value_refused');
  expect(asked.seen).toEqual([]);
});

describe.skipIf(server === undefined)('a real store', () => {
  test('takes the signature of every spelling, and lists them as they are', async () => {
    const bed = await objectBed();
    after(() => bed.close());
    const { call } = await opened(writtenFor(bed.bucket, bed.prefix));
    const keys = spellings.filter((key) => !/\/\/|^\/|\/$/.test(key));
    await Promise.all(keys.map((key) => call('write', { key, content: `of ${key}` })));
    const listed = (await call('list', {})).value as readonly { readonly key: string }[];
    expect(listed.map(({ key }) => key).sort()).toEqual([...keys].sort());
    for (const key of keys)
      expect((await call('read', { key, format: 'text' })).value).toEqual([{ content: `of ${key}` }]);
  });

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
  });

  test('copies in parts what is larger than one request copies, with its metadata', async () => {
    const bed = await objectBed();
    after(() => bed.close());
    const store = directStore(bed.bucket.name, bed.prefix);
    const bytes = Buffer.alloc(2.5 * 1024 * 1024, 'abc');
    await bed.bucket.put(`${bed.prefix}large`, bytes, { 'content-type': 'text/csv', 'x-amz-meta-of': 'tests' });
    const exchange = { signal: new AbortController().signal };
    const entry = await store.stat('large', exchange);
    expect(await store.copy(entry ?? expect.fail('it is not there'), 'copy', exchange)).toBe(bytes.length);
    expect((await bed.bytesOf('copy')).equals(bytes)).toBe(true);
    const headers = await bed.bucket.headersOf(`${bed.prefix}copy`);
    expect([headers.get('content-type'), headers.get('x-amz-meta-of')]).toEqual(['text/csv', 'tests']);
    expect(await bed.names()).toEqual(['copy', 'large']);
  });
});
