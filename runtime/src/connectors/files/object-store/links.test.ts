import { Client } from 'undici';
import { describe, expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { objectBed, writtenFor as writtenAt } from './testing/bed.ts';
import { after, opened, standIn, writtenFor } from './testing/opened.ts';
import { server } from './testing/server.ts';

interface Link {
  readonly url: string;
  readonly method: string;
  readonly expires: string;
}

describe.skipIf(server === undefined)('links of a real store', () => {
  async function bucket() {
    const bed = await objectBed();
    after(() => bed.close());
    const { call } = await opened(writtenAt(bed.bucket, bed.prefix));
    const link = async (operation: string, params: object) => (await call(operation, { ...params })).value as Link;
    return { bed, link };
  }

  test.each(['a b+c&d=e.txt', 'ä/%41.txt', "it's (1)!*.txt", '.hidden', '/a//b/'])(
    'read %j without credentials, and nothing else',
    async (key) => {
      const { bed, link } = await bucket();
      await bed.put(key, Buffer.from('content'));
      await bed.put('other', Buffer.from('other'));
      const { url, method } = await link('presign_get', { key, expires: '1m', filename: 'r é "x".txt' });
      const read = await fetch(url);
      expect([method, read.status, await read.text()]).toEqual(['GET', 200, 'content']);
      expect(read.headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''r%20%C3%A9%20%22x%22.txt");
      const path = new URL(url).pathname;
      const altered = [
        url.replace(path, `/${bed.bucket.name}/${bed.prefix}other`),
        url.replace('Expires=60', 'Expires=6000'),
        url.replace(/Signature=..../, 'Signature=0000'),
      ];
      expect(await Promise.all(altered.map(async (each) => (await fetch(each)).status))).toEqual([403, 403, 403]);
      expect((await fetch(url, { method: 'DELETE' })).status).toBe(403);
    },
  );

  test('write one object without credentials, of the type and length that they say', async () => {
    const { bed, link } = await bucket();
    const { url, method } = await link('presign_put', { key: 'in/a.csv', content_type: 'text/csv', content_length: 3 });
    const put = async (body: string, type: string) =>
      (await fetch(url, { method, body, headers: { 'content-type': type } })).status;
    expect([await put('a,b!', 'text/csv'), await put('a,b', 'text/html')]).toEqual([403, 403]);
    expect(await put('a,b', 'text/csv')).toBe(200);
    expect((await bed.bytesOf('in/a.csv')).toString()).toBe('a,b');
  });
});

test('the link of a key with parts . and .. names it as it is', async () => {
  const { server: asked, call } = await standIn();
  asked.answer = () => ({ body: 'content' });
  const { url } = (await call('presign_get', { key: './a/../b' })).value as Link;
  const { origin } = new URL(url);
  // Browsers, and what reads addresses as they do, ask for another path, of which the signature is refused.
  expect((await fetch(url)).status).toBe(403);
  const { statusCode, body } = await new Client(origin).request({ method: 'GET', path: url.slice(origin.length) });
  expect([statusCode, await body.text()]).toEqual([200, 'content']);
  expect(asked.seen.map((each) => each.url.split('?')[0])).toEqual(['/box/./a/../b']);
});

test('a link says how long it is valid: 15 minutes, a duration, seconds; at most 7 days', async () => {
  const { call } = await standIn();
  const seconds = async (params: object) => {
    const { url } = (await call('presign_get', { key: 'a', ...params })).value as Link;
    return new URL(url).searchParams.get('X-Amz-Expires');
  };
  expect(await seconds({})).toBe('900');
  expect(await seconds({ expires: '2h' })).toBe('7200');
  expect(await seconds({ expires_in: 90 })).toBe('90');
  expect(await seconds({ expires: '168h' })).toBe('604800');
  const { value } = await call('presign_get', { key: 'a', expires: '1h' });
  const { expires } = value as Link;
  expect(Math.abs(Date.parse(expires) - Date.now() - 3_600_000)).toBeLessThan(60_000);
  for (const params of [{ expires: '169h' }, { expires: '0s' }, { expires: 'soon' }, { expires_in: -1 }])
    expect((await failureOf(call('presign_get', { key: 'a', ...params }))).code).toBe('parameters_invalid');
});

test.each([
  ['presign_put', { content_type: 'text/csv\r\nx: y' }],
  ['presign_put', { content_length: -1 }],
  ['presign_put', { content_length: '3' }],
  ['presign_get', { filename: 7 }],
])('%s with %j is refused', async (operation, params) => {
  const { server: asked, call } = await standIn();
  const { code } = await failureOf(call(operation, { key: 'a', ...params }));
  expect([code, asked.seen]).toEqual(['parameters_invalid', []]);
});

test('temporary credentials are part of a link', async () => {
  const { server: asked } = await standIn();
  const { call } = await opened({ ...writtenFor(asked), session_token: 'a+b/c=' });
  asked.answer = () => ({ body: 'content' });
  const { url } = (await call('presign_get', { key: 'a b' })).value as Link;
  const answer = await fetch(url);
  expect([answer.status, await answer.text(), new URL(url).searchParams.get('X-Amz-Security-Token')]).toEqual([
    200,
    'content',
    'a+b/c=',
  ]);
});
