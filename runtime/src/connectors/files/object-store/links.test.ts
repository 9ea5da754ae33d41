import { Client } from 'undici';
import { expect, test } from 'vitest';
import { failureOf } from '../testing/asking.ts';
import { opened, standIn, writtenFor } from './testing/opened.ts';

interface Link {
  readonly url: string;
  readonly method: string;
  readonly expires: string;
}

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

test.each(['content_type', 'content_length'])('a link to write whose %s has no value is refused', async (name) => {
  const { call } = await standIn();
  for (const value of [null, undefined]) {
    const { code, fields } = await failureOf(call('presign_put', { key: 'a', [name]: value }));
    expect([code, fields?.map(({ field }) => field)]).toEqual(['value_refused', [name]]);
  }
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
