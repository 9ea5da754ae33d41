import { expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { document } from './testing/conformance/in-use.ts';
import { standIn } from './testing/opened.ts';

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
