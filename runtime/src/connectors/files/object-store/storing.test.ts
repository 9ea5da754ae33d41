import { expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { opened, standIn, writtenFor } from './testing/opened.ts';

const said = (headers: object, ...names: readonly string[]) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => names.includes(name) || name.startsWith('x-amz-meta-')),
  );

test('what is said of an object goes with it, signed: media type, metadata, class, access and encryption', async () => {
  const { server, call } = await standIn();
  await call('write', {
    key: 'a.csv',
    content: 'x',
    content_type: 'text/plain; charset=utf-8',
    metadata: { Customer: 'c 1', count: 3 },
    storage_class: 'STANDARD_IA',
    acl: 'private',
    server_side_encryption: 'aws:kms',
    kms_key_id: 'arn:aws:kms:eu-central-1:1:key/2',
    cache_control: 'max-age=60',
    content_disposition: 'attachment',
  });
  const [{ headers, method, url, body } = expect.fail('nothing came')] = server.seen;
  expect([method, url, body.toString()]).toEqual(['PUT', '/box/a.csv', 'x']);
  expect(
    said(
      headers,
      'content-type',
      'x-amz-storage-class',
      'x-amz-acl',
      'x-amz-server-side-encryption',
      'x-amz-server-side-encryption-aws-kms-key-id',
      'cache-control',
      'content-disposition',
    ),
  ).toEqual({
    'content-type': 'text/plain; charset=utf-8',
    'x-amz-meta-customer': 'c 1',
    'x-amz-meta-count': '3',
    'x-amz-storage-class': 'STANDARD_IA',
    'x-amz-acl': 'private',
    'x-amz-server-side-encryption': 'aws:kms',
    'x-amz-server-side-encryption-aws-kms-key-id': 'arn:aws:kms:eu-central-1:1:key/2',
    'cache-control': 'max-age=60',
    'content-disposition': 'attachment',
  });
});

test('the block says it for every object, also for copies and uploads in parts; a call may say otherwise', async () => {
  const written = {
    storage_class: 'STANDARD_IA',
    acl: 'private',
    server_side_encryption: 'aws:kms',
    kms_key_id: 'key-1',
    part_size: 1024 * 1024,
  };
  const { server, call } = await standIn(written);
  server.answer = ({ method, url }) =>
    method === 'HEAD'
      ? { headers: { etag: '"1"', 'content-length': '3' } }
      : url.includes('uploads=')
        ? { body: '<R><UploadId>u</UploadId></R>' }
        : method === 'POST' || url === '/box/b'
          ? { body: '<R><ETag>"2-2"</ETag></R>' }
          : undefined;
  await call('write', { key: 'a', content: 'x', storage_class: 'GLACIER' });
  await call('copy', { source: 'a', destination: 'b' });
  await call('write', { key: 'c', content: Buffer.alloc(1024 * 1024 + 1) });
  const stored = server.seen
    .filter(({ headers }) => headers['x-amz-storage-class'] !== undefined)
    .map(({ method, url, headers }) => [
      method,
      url,
      headers['x-amz-storage-class'],
      headers['x-amz-acl'],
      headers['x-amz-server-side-encryption'],
      headers['x-amz-server-side-encryption-aws-kms-key-id'],
    ]);
  expect(stored).toEqual([
    ['PUT', '/box/a', 'GLACIER', 'private', 'aws:kms', 'key-1'],
    ['PUT', '/box/b', 'STANDARD_IA', 'private', 'aws:kms', 'key-1'],
    ['POST', '/box/c?uploads=', 'STANDARD_IA', 'private', 'aws:kms', 'key-1'],
  ]);
});

test('the media type follows the format where nothing says it', async () => {
  const { server, call } = await standIn();
  for (const key of ['a.json', 'b.csv', 'c.txt', 'd.xml']) await call('write', { key, content: { row: 1 } });
  await call('write', { key: 'e', content: 'AAE=', format: 'binary' });
  expect(server.seen.map(({ headers }) => headers['content-type'])).toEqual([
    'application/json; charset=utf-8',
    'text/csv; charset=utf-8',
    'text/plain; charset=utf-8',
    'application/xml; charset=utf-8',
    'application/octet-stream',
  ]);
});

test.each([
  ['metadata', { 'a b': 'x' }],
  ['metadata', { a: 'x', A: 'y' }],
  ['metadata', { a: 'line\r\nx-amz-acl: public-read' }],
  ['metadata', { a: 'ä' }],
  ['metadata', { a: 'x'.repeat(3000) }],
  ['metadata', 'text'],
  ['metadata', { a: ['x'] }],
  ['acl', 'public-read\r\nx: y'],
  ['storage_class', ''],
  ['content_type', 'text/plain\r\nx: y'],
  ['append', true],
] as const)('S-77: %s = %j is refused, and nothing is sent', async (name, value) => {
  const { server, call } = await standIn();
  const { code, message } = await failureOf(call('write', { key: 'a', content: 'x', [name]: value }));
  expect([code, message.includes(name), server.seen]).toEqual(['parameters_invalid', true, []]);
});

test('the bucket is in the name of the host, and in the path where it cannot be or where that is asked', async () => {
  const { server } = await standIn();
  const at = async (written: object) => {
    const { call } = await opened({ ...writtenFor(server), request_timeout: 5000, ...written });
    return (await call('presign_get', { key: 'k' })).value as { readonly url: string };
  };
  const base = async (written: object) => (await at(written)).url.split('?')[0];
  const endpoint = 'https://store.example:9000/s3';
  expect(await base({ endpoint })).toBe('https://box.store.example:9000/s3/k');
  expect(await base({ endpoint, use_path_style: true })).toBe('https://store.example:9000/s3/box/k');
  expect(await base({ endpoint, bucket: 'a.b' })).toBe('https://store.example:9000/s3/a.b/k');
  expect(await base({ endpoint: 'http://127.0.0.1:9000' })).toBe('http://127.0.0.1:9000/box/k');
  expect(await base({ endpoint: undefined })).toBe('https://box.s3.eu-central-1.amazonaws.com/k');
  expect(await base({ endpoint: undefined, region: 'cn-north-1' })).toBe(
    'https://box.s3.cn-north-1.amazonaws.com.cn/k',
  );
});

test('a prefix is before every key, and flows do not see it', async () => {
  const { server, call } = await standIn({ prefix: 'tenants/a' });
  let says = '<EncodingType>url</EncodingType>';
  server.answer = ({ url }) =>
    url.includes('list-type')
      ? { body: `<L>${says}<Contents><Key>tenants/a/x%2By+z.txt</Key><Size>1</Size></Contents></L>` }
      : undefined;
  expect((await call('write', { key: 'x', content: '1' })).value).toMatchObject({ key: 'x' });
  expect((await call('list', { prefix: 'x' })).value).toMatchObject([{ key: 'x+y z.txt', size: 1 }]);
  // A server that does not know the encoding gives keys as they are.
  says = '';
  expect((await call('list', { prefix: 'x' })).value).toMatchObject([{ key: 'x%2By+z.txt', size: 1 }]);
  expect(server.seen.map(({ url }) => url)).toEqual([
    '/box/tenants/a/x',
    '/box?list-type=2&encoding-type=url&max-keys=1000&prefix=tenants%2Fa%2Fx',
    '/box?list-type=2&encoding-type=url&max-keys=1000&prefix=tenants%2Fa%2Fx',
  ]);
});
