import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../test/support/connector-services.ts';
import { client, failure, recorder, run } from './testing/peer.ts';

describe('what is written of an HTTP client', () => {
  test('is how often a request is tried: retry_count, unless retry says it', async () => {
    const attempts = async (settings: Record<string, unknown>) => {
      const { url, seen } = await recorder({ status: 500 });
      const base = connectorServices();
      const clock = { ...base.clock, sleep: async () => undefined };
      await failure(run(await client({ base_url: url, ...settings }, { ...base, clock }), { operation: 'GET /' }));
      return seen.length;
    };
    expect([
      await attempts({}),
      await attempts({ retry_count: 3 }),
      await attempts({ retry: { attempts: 2 } }),
      await attempts({ retry_count: 3, retry: { attempts: 2 } }),
    ]).toEqual([1, 3, 2, 2]);
  });

  test('is how long it waits before each further attempt', async () => {
    const waits = async (retry: Record<string, unknown>) => {
      const { url } = await recorder({ status: 500 });
      const slept: number[] = [];
      const base = connectorServices();
      const clock = { ...base.clock, sleep: async (milliseconds: number) => void slept.push(milliseconds) };
      const api = await client({ base_url: url, retry: { attempts: 4, ...retry } }, { ...base, clock });
      await failure(run(api, { operation: 'GET /' }));
      return slept;
    };
    /** Whether each wait is what is expected, give or take a fifth. */
    const near = (found: readonly number[], expected: readonly number[]) =>
      expected.map((each, at) => Math.abs((found[at] as number) / each - 1) <= 0.2 + 1e-9);
    const all = [true, true, true];
    expect(near(await waits({}), [100, 100, 100])).toEqual(all);
    expect(near(await waits({ delay: 1000 }), [1000, 1000, 1000])).toEqual(all);
    expect(near(await waits({ delay: 1000, backoff: 'linear' }), [1000, 2000, 3000])).toEqual(all);
    expect(near(await waits({ delay: 1000, backoff: 'exponential' }), [1000, 2000, 4000])).toEqual(all);
    const capped = await waits({ delay: 1000, backoff: 'exponential', max_delay: 1500 });
    expect(near(capped, [1000, 1500, 1500])).toEqual(all);
    expect(Math.max(...capped)).toBeLessThanOrEqual(1500);
  });

  test('is how bodies are written: format and escape_formulas', async () => {
    const { url, seen } = await recorder();
    const send = async (settings: Record<string, unknown>, format?: string) => {
      const api = await client({ base_url: url, ...settings });
      const call = { verb: 'create', target: '/', ...(format && { words: { format } }) } as const;
      await run(api, call, { payload: { a: '=1+1' } });
      return [seen.at(-1)?.headers['content-type'], seen.at(-1)?.body];
    };
    expect(await send({})).toEqual(['application/json', '{"a":"=1+1"}']);
    expect(await send({ format: 'xml' })).toEqual([
      'application/xml',
      '<?xml version="1.0" encoding="UTF-8"?>\n<root>\n  <a>=1+1</a>\n</root>\n',
    ]);
    expect(await send({}, 'csv')).toEqual(['text/csv', "a\r\n'=1+1\r\n"]);
    expect(await send({ escape_formulas: false }, 'csv')).toEqual(['text/csv', 'a\r\n=1+1\r\n']);
  });

  test('is what answers are read in', async () => {
    const { url } = await recorder({ body: 'id\n7', headers: { 'content-type': 'text/csv' } });
    const read = async (settings: Record<string, unknown>) =>
      run(await client({ base_url: url, ...settings }), { operation: 'GET /' });
    expect(await read({})).toEqual({ value: { data: 'id\n7' } });
    expect(await read({ body_formats: ['csv'] })).toEqual({ value: { id: '7', rows: [{ id: '7' }] } });
  });

  test('is the largest answer that is read', async () => {
    const { url } = await recorder({ body: { text: 'x'.repeat(2000) } });
    const small = await client({ base_url: url, max_response: 1000 });
    expect((await failure(run(small, { operation: 'GET /' }))).message).toContain('is larger than 1000 bytes');
    const large = await client({ base_url: url, max_response: 4000 });
    expect(await run(large, { operation: 'GET /' })).toEqual({ value: { text: 'x'.repeat(2000) } });
  });

  test('is how access tokens are fetched', async () => {
    const { url, seen } = await recorder({ body: { access_token: 't' } });
    const auth = { type: 'oauth2', token_url: `${url}/token`, client_id: 'id', refresh_token: 'r' };
    await run(await client({ base_url: url, auth }), { operation: 'GET /' });
    const another = await client({ base_url: url, auth: { ...auth, grant_type: 'client_credentials' } });
    await run(another, { operation: 'GET /' });
    expect(seen.map(({ url, body }) => [url, new URLSearchParams(body).get('grant_type')])).toEqual([
      ['/token', 'refresh_token'],
      ['/', null],
      ['/token', 'client_credentials'],
      ['/', null],
    ]);
  });
});
