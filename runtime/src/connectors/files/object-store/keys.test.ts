import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { differentKeys } from './testing/bed.ts';
import { standIn } from './testing/opened.ts';
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
