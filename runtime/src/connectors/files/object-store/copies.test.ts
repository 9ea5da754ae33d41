import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { objectBed, writtenFor } from './testing/bed.ts';
import { directStore } from './testing/direct-store.ts';
import { after, opened, standIn } from './testing/opened.ts';
import { server } from './testing/server.ts';

const document = {
  'content-type': 'text/csv',
  'cache-control': 'max-age=60',
  'content-disposition': 'attachment',
  'x-amz-meta-of': 'tests',
};

test('a copy onto itself stays stored as it is, and needs something that it changes', async () => {
  const { server: asked, call } = await standIn();
  const found = { etag: '"e"', 'content-length': '3', 'x-amz-storage-class': 'GLACIER_IR', ...document };
  asked.answer = ({ method }) => (method === 'HEAD' ? { headers: found } : { body: '<R><ETag>"e"</ETag></R>' });
  const self = { source: 'a', destination: 'a' };
  await call('copy', { ...self, metadata: { by: 'me' } });
  const { method, headers } = asked.seen.at(-1) ?? expect.fail('nothing came');
  const { host, connection, 'content-length': _, 'user-agent': __, authorization, ...said } = headers;
  expect([method, Object.fromEntries(Object.entries(said).filter(([name]) => !/date|sha256/.test(name)))]).toEqual([
    'PUT',
    {
      'content-type': 'text/csv',
      'cache-control': 'max-age=60',
      'content-disposition': 'attachment',
      'x-amz-meta-by': 'me',
      'x-amz-metadata-directive': 'REPLACE',
      'x-amz-copy-source': '/box/a',
      'x-amz-copy-source-if-match': '"e"',
      'x-amz-storage-class': 'GLACIER_IR',
    },
  ]);
  await call('copy', { ...self, storage_class: 'STANDARD' });
  expect(asked.seen.at(-1)?.headers).toMatchObject({ 'x-amz-storage-class': 'STANDARD' });
  expect(asked.seen.at(-1)?.headers['x-amz-metadata-directive']).toBeUndefined();
  const { code, message } = await failureOf(call('copy', self));
  expect([code, message]).toEqual(['value_refused', 'source and destination are the same file']);
  expect((await failureOf(call('move', { ...self, metadata: { by: 'me' } }))).code).toBe('value_refused');
});

describe.skipIf(server === undefined)('a real store', () => {
  async function bucket() {
    const bed = await objectBed();
    after(() => bed.close());
    const { call } = await opened(writtenFor(bed.bucket, bed.prefix));
    const said = async (key: string) => {
      const headers = await bed.bucket.headersOf(`${bed.prefix}${key}`);
      return Object.fromEntries(
        Object.entries(headers).filter(([name]) => Object.hasOwn(document, name) || name.startsWith('x-amz-meta-')),
      );
    };
    return { bed, call, said };
  }

  test('changes the metadata of an object that is copied onto itself, and keeps what is not said', async () => {
    const { bed, call, said } = await bucket();
    await bed.bucket.put(`${bed.prefix}a//b`, Buffer.from('text'), document);
    const self = { source: 'a//b', destination: 'a//b' };
    expect((await call('copy', { ...self, metadata: { by: 'me' } })).value).toEqual({
      copied: true,
      source: 'a//b',
      dest: 'a//b',
      bytes: 4,
    });
    const { 'x-amz-meta-of': _, ...rest } = document;
    expect(await said('a//b')).toEqual({ ...rest, 'x-amz-meta-by': 'me' });
    await call('copy', { ...self, content_type: 'text/plain' });
    expect(await said('a//b')).toEqual({ ...rest, 'content-type': 'text/plain', 'x-amz-meta-by': 'me' });
    await call('copy', { ...self, metadata: {} });
    expect(await said('a//b')).toEqual({ ...rest, 'content-type': 'text/plain' });
    expect([await bed.names(), String(await bed.bytesOf('a//b'))]).toEqual([['a//b'], 'text']);
  });

  test('copies in parts what is larger than one request copies, with all that is said of it', async () => {
    const { bed, said } = await bucket();
    const store = directStore(bed.bucket.name, bed.prefix);
    const bytes = Buffer.alloc(2.5 * 1024 * 1024, 'abc');
    await bed.bucket.put(`${bed.prefix}large`, bytes, document);
    const exchange = { signal: new AbortController().signal };
    const entry = (await store.stat('large', exchange)) ?? expect.fail('it is not there');
    expect(await store.copy(entry, './copy', exchange)).toBe(bytes.length);
    expect((await bed.bytesOf('./copy')).equals(bytes)).toBe(true);
    expect(await said('./copy')).toEqual(document);
    expect(await store.copy(entry, 'changed', exchange, { metadata: { by: 'me' } })).toBe(bytes.length);
    const { 'x-amz-meta-of': _, ...rest } = document;
    expect(await said('changed')).toEqual({ ...rest, 'x-amz-meta-by': 'me' });
    expect(await bed.names()).toEqual(['./copy', 'changed', 'large']);
  });
});
