import { expect, test } from 'vitest';
import type { Lack } from '../server.ts';
import type { InUse } from './in-use.ts';

interface Link {
  readonly url: string;
  readonly method: string;
  readonly expires: string;
}

/** Links, which are used by a program that knows nothing but the link. */
export function linksConformance(use: () => Promise<InUse>, lacks: (lack: Lack) => boolean): void {
  const isUnchecked = lacks('checks of signatures');
  const keys = ['a b+c&d=e.txt', 'ä/%41 日本.txt', "it's (1)!*.txt", '.hidden', '/a//b/', '%2F?x=#y', 'a;b:c@d,$'];

  test.each(keys)('read and write %j without credentials, and nothing else', async (key) => {
    const { bed, value, textOf } = await use();
    const link = async (operation: string, params: object) => (await value(operation, { ...params })) as Link;
    await bed.put('other', Buffer.from('other'));
    const put = await link('presign_put', { key, expires: '1m' });
    const written = await fetch(put.url, { method: put.method, body: `of ${key}` });
    expect([put.method, written.status, await textOf(key)]).toEqual(['PUT', 200, `of ${key}`]);
    const { url, method } = await link('presign_get', { key, expires: '1m', filename: 'r é "x".txt' });
    const read = await fetch(url);
    expect([method, read.status, await read.text()]).toEqual(['GET', 200, `of ${key}`]);
    if (!lacks('headers that a link asks for'))
      expect(read.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''r%20%C3%A9%20%22x%22.txt");
    if (isUnchecked) return;
    const path = new URL(url).pathname;
    const altered = [
      url.replace(path, `/${bed.bucket.name}/${bed.prefix}other`),
      url.replace('Expires=60', 'Expires=6000'),
      url.replace(/Signature=..../, 'Signature=0000'),
    ];
    expect(await Promise.all(altered.map(async (each) => (await fetch(each)).status))).toEqual([403, 403, 403]);
    for (const other of ['DELETE', 'PUT']) expect((await fetch(url, { method: other })).status).toBe(403);
  });

  test.skipIf(isUnchecked)('write what they say: the type and the length', async () => {
    const { bed, value } = await use();
    const asked = { key: 'in/a.csv', content_type: 'text/csv', content_length: 3 };
    const { url, method } = (await value('presign_put', asked)) as Link;
    const put = async (body: string, type: string) =>
      (await fetch(url, { method, body, headers: { 'content-type': type } })).status;
    expect([await put('a,b!', 'text/csv'), await put('a,b', 'text/html')]).toEqual([403, 403]);
    expect(await put('a,b', 'text/csv')).toBe(200);
    expect((await bed.bytesOf('in/a.csv')).toString()).toBe('a,b');
  });

  test.skipIf(isUnchecked)('end', async () => {
    const { bed, value } = await use();
    await bed.put('a', Buffer.from('x'));
    const { url } = (await value('presign_get', { key: 'a', expires: '1s' })) as Link;
    await expect.poll(async () => (await fetch(url)).status, { timeout: 10_000 }).toBe(403);
  });
}
