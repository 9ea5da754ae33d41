import { expect, test } from 'vitest';
import { keysAt, newBucket, writtenFor } from '../bed.ts';
import { directStore } from '../direct-store.ts';
import { after, opened } from '../opened.ts';
import type { TestServer } from '../server.ts';
import { type InUse, keysOf } from './in-use.ts';

/** Keys, lists of them, and objects without bytes. */
export function keysConformance(use: () => Promise<InUse>, server: TestServer): void {
  test('lists what begins with a prefix, however it is written, by folders where that is asked', async () => {
    const { bed, value } = await use();
    const all = ['a/1', 'a/2', 'a/b/3', 'c'];
    await Promise.all(all.map((key) => bed.put(key, Buffer.from('x'))));
    const keys = async (params: object) => keysOf(await value('list', { ...params }));
    expect(await keys({ recursive: false })).toEqual(['a/', 'c']);
    expect(await keys({ key: 'a', recursive: false })).toEqual(['a/1', 'a/2', 'a/b/']);
    expect(await keys({ prefix: 'a/b' })).toEqual(['a/b/3']);
    expect(await keys({ prefix: 'a/' })).toEqual(['a/1', 'a/2', 'a/b/3']);
    expect(await keys({ prefix: '/' })).toEqual([]);
    for (const params of [{}, { prefix: '' }, { prefix: null }, { prefix: undefined }, { key: '' }])
      expect(await keys(params)).toEqual(all);
  });

  test('lists more than one answer holds, whatever the keys', async () => {
    const { bed } = await use();
    const keys = keysAt(server);
    await Promise.all(keys.map((key) => bed.put(key, Buffer.from(key))));
    const store = directStore(bed.bucket, bed.prefix);
    const exchange = { signal: new AbortController().signal };
    const listed = async (recursive: boolean) => {
      const found: string[] = [];
      for await (const { path } of store.list('', { recursive }, exchange)) found.push(path);
      return found.sort();
    };
    expect(await listed(true)).toEqual([...keys].sort());
    const folders = keys.map((key) => (key.includes('/') ? key.slice(0, key.indexOf('/') + 1) : key));
    expect(await listed(false)).toEqual([...new Set(folders)].sort());
  });

  test('keeps a / at the beginning of keys where there is no prefix', async () => {
    const bucket = await newBucket(server);
    const { prefix: _, ...written } = writtenFor(bucket, '');
    const { call } = await opened(written);
    after(() => Promise.all(['/a', 'a', 'x/../a'].map((key) => bucket.remove(key).catch(() => undefined))));
    for (const key of ['a', '/a', 'x/../a']) await call('write', { key, content: `of ${key}` });
    expect(await bucket.keys('')).toEqual(['/a', 'a', 'x/../a']);
    await call('delete', { key: '/a' });
    expect(await bucket.keys('')).toEqual(['a', 'x/../a']);
    expect(keysOf((await call('list', {})).value)).toEqual(['a', 'x/../a']);
  });

  test('an object without bytes is written, described, read, copied and moved', async () => {
    const { bed, value, downloaded } = await use();
    expect(await value('write', { key: 'a', content: '' })).toEqual(bed.written('a', 0));
    expect(await value('stat', { key: 'a' })).toMatchObject({ key: 'a', size: 0 });
    expect(await (await downloaded('a')).bytes.stream().toArray()).toEqual([]);
    expect(await value('copy', { source: 'a', destination: 'b' })).toMatchObject({ bytes: 0 });
    await value('move', { source: 'b', destination: 'c' });
    expect([await bed.names(), (await bed.bytesOf('c')).length]).toEqual([['a', 'c'], 0]);
  });

  test('a character that XML cannot carry is kept in a key', async () => {
    const { bed, value } = await use();
    const keys = ['a\u0001b', 'a\u000bb', 'a\u001fb', 'a\u007fb', 'a\uffffb'];
    for (const key of keys) await value('write', { key, content: key });
    expect(keysOf(await value('list', {}))).toEqual([...keys].sort());
    expect(await Promise.all(keys.map(async (key) => String(await bed.bytesOf(key))))).toEqual(keys);
    for (const key of keys) {
      await value('move', { source: key, destination: `${key}/moved` });
      await value('delete', { key: `${key}/moved` });
    }
    expect(await bed.names()).toEqual([]);
  });
}
