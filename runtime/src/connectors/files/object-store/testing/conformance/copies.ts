import { expect, test } from 'vitest';
import { directStore } from '../direct-store.ts';
import type { Lack } from '../server.ts';
import { document, type InUse } from './in-use.ts';

/** Copies, and moves of what another program replaces. */
export function copiesConformance(use: () => Promise<InUse>, lacks: (lack: Lack) => boolean): void {
  test('changes the metadata of an object that is copied onto itself, and keeps what is not said', async () => {
    const { bed, value, said, textOf } = await use();
    await bed.bucket.put(`${bed.prefix}a//b`, Buffer.from('text'), document);
    const self = { source: 'a//b', destination: 'a//b' };
    expect(await value('copy', { ...self, metadata: { by: 'me' } })).toEqual({
      copied: true,
      source: 'a//b',
      dest: 'a//b',
      bytes: 4,
    });
    const { 'x-amz-meta-of': _, ...rest } = document;
    expect(await said('a//b')).toEqual({ ...rest, 'x-amz-meta-by': 'me' });
    await value('copy', { ...self, content_type: 'text/plain' });
    expect(await said('a//b')).toEqual({ ...rest, 'content-type': 'text/plain', 'x-amz-meta-by': 'me' });
    await value('copy', { ...self, metadata: {} });
    expect(await said('a//b')).toEqual({ ...rest, 'content-type': 'text/plain' });
    expect([await bed.names(), await textOf('a//b')]).toEqual([['a//b'], 'text']);
  });

  test('copies in parts what is larger than one request copies, with all that is said of it, and moves it', async () => {
    const { bed, said, server } = await use();
    const store = directStore(bed.bucket, bed.prefix);
    const bytes = Buffer.alloc(2.5 * server.smallestPart, 'abc');
    const exchange = { signal: new AbortController().signal };
    await bed.bucket.put(`${bed.prefix}large`, bytes, document);
    const entry = (await store.stat('large', exchange)) ?? expect.fail('it is not there');
    expect(await store.copy(entry, './copy', exchange)).toBe(bytes.length);
    expect((await bed.bytesOf('./copy')).equals(bytes)).toBe(true);
    expect(await said('./copy')).toEqual(document);
    expect(await store.copy(entry, 'changed', exchange, { metadata: { by: 'me' } })).toBe(bytes.length);
    const { 'x-amz-meta-of': _, ...rest } = document;
    expect(await said('changed')).toEqual({ ...rest, 'x-amz-meta-by': 'me' });
    const parted = (await store.stat('changed', exchange)) ?? expect.fail('it is not there');
    await store.move(parted, 'moved', exchange);
    expect(await bed.names()).toEqual(['./copy', 'large', 'moved']);
  });

  test.skipIf(lacks('conditions on the source of a copy'))('copies and moves no version that came since', async () => {
    const { bed, textOf } = await use();
    const store = directStore(bed.bucket, bed.prefix);
    const exchange = { signal: new AbortController().signal };
    await bed.put('a', Buffer.from('first'));
    const entry = (await store.stat('a', exchange)) ?? expect.fail('it is not there');
    await bed.put('a', Buffer.from('second'));
    for (const work of ['copy', 'move'] as const)
      await expect(store[work](entry, 'b', exchange)).rejects.toMatchObject({
        code: 'connector_failed',
        message: '"a" was replaced meanwhile',
      });
    expect([await bed.names(), await textOf('a')]).toEqual([['a'], 'second']);
  });
}
