import { describe, expect, test } from 'vitest';
import { connectorServices, type LogLine, recordingLog } from '../../../../test/support/connector-services.ts';
import { failureOf, makeConnector, openConnector, run, startServer } from './testing/bed.ts';

const never = new AbortController().signal;
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;

describe('what is written of a search engine', () => {
  test.each([
    ['username and password', { username: 'svc', password: 'p:w' }, basic('svc:p:w')],
    ['api_key', { api_key: 'a2V5' }, 'ApiKey a2V5'],
    ['the address', {}, basic('in:ad/dress')],
  ])('is who asks: %s', async (where, written, authorization) => {
    const server = await startServer();
    server.authorization = authorization;
    const url = where === 'the address' ? server.url.replace('//', '//in:ad%2Fdress@') : server.url;
    const connector = await openConnector({ url, index: 'books', ...written });
    await run(connector, { verb: 'create' }, { payload: { n: 1 } });
    expect(server.seen.map(({ headers }) => headers.authorization)).toEqual([authorization, authorization]);
    server.authorization = 'other';
    const refused = await failureOf(Promise.resolve(connector.check?.(never)));
    expect([refused.code, refused.message]).toEqual([
      'upstream_error',
      'cluster health failed with status 401: security_exception: unable to authenticate user',
    ]);
  });

  test('is what every request carries: headers, the trace of its message', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books', headers: { 'X-Tenant': 'a' } });
    await run(connector, { verb: 'create' }, { payload: { n: 1 }, traceparent: '00-1-2-01', tracestate: 'v=1' });
    const { headers } = server.seen.at(-1) ?? {};
    expect([headers?.['x-tenant'], headers?.['traceparent'], headers?.['tracestate']]).toEqual([
      'a',
      '00-1-2-01',
      'v=1',
    ]);
    for (const name of ['content-length', 'a b'])
      expect((await failureOf(openConnector({ url: server.url, headers: { [name]: '1' } }))).message).toContain(
        'headers: ',
      );
  });

  test('is the index of calls that name none, and `target` wins', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    await run(connector, { verb: 'create' }, { payload: { n: 1 } });
    await run(connector, { verb: 'create', target: 'others' }, { payload: { n: 1 } });
    expect(['books', 'others'].map((name) => server.index(name).documents.size)).toEqual([1, 1]);
  });

  test.each([
    ['none', ''],
    ['wait_for', '?refresh=wait_for'],
    ['immediate', '?refresh=true'],
  ])('is when searches find what was written: %s', async (refresh, query) => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books', refresh });
    await run(connector, { verb: 'create' }, { payload: { id: 'a', n: 1 } });
    await run(connector, { verb: 'create', operation: 'bulk' }, { payload: { items: [{ n: 1 }] } });
    expect(server.seen.slice(1).map(({ path }) => path)).toEqual([`/books/_doc/a${query}`, `/books/_bulk${query}`]);
  });

  test('is the largest answer that is read', async () => {
    const server = await startServer();
    server.index('books').put('b1', { text: 'x'.repeat(2_000) }, false);
    const get = async (max_response: number) =>
      run(
        await openConnector({ url: server.url, index: 'books', max_response }),
        { operation: 'get' },
        { filters: { id: 'b1' } },
      );
    expect((await failureOf(get(1_000))).message).toContain('is larger than 1000 bytes');
    expect((await get(4_000)).rows?.length).toBe(1);
  });

  test('is how far a search may reach', async () => {
    const server = await startServer();
    server.index('books');
    const connector = await openConnector({ url: server.url, index: 'books', max_hits: 5 });
    const page = { parameters: ['limit', 'offset'] };
    expect((await run(connector, page, { filters: { limit: 2, offset: 3 } })).rows).toEqual([]);
    const { message } = await failureOf(run(connector, page, { filters: { limit: 3, offset: 3 } }));
    expect(message).toBe('size: from and size together may be 5 (max_hits); read further with search_after');
  });

  test('is how long an answer is waited for', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'stuck', timeout: 50 });
    expect((await failureOf(run(connector, {}))).code).toBe('connector_timeout');
  });
});

describe('the health of the cluster', () => {
  test.each([
    ['green', undefined],
    ['yellow', undefined],
    ['red', 'the health of the cluster is red, with 2 unassigned shards: a part of the documents cannot be found'],
  ])('%s is what its check says', async (status, said) => {
    const server = await startServer();
    server.health = { status, unassigned_shards: 2 };
    const lines: LogLine[] = [];
    const connector = await openConnector({ url: server.url }, connectorServices({ log: recordingLog(lines) }));
    expect(await connector.check?.(never)).toBe(said);
    expect(lines.map(({ level, message }) => [level, message])).toEqual(said === undefined ? [] : [['warn', said]]);
  });

  test('that is not answered ends the start', async () => {
    const server = await startServer();
    server.faults.push({ status: 503, body: { error: { type: 'master_not_discovered_exception', reason: null } } });
    const { code, message } = await failureOf(makeConnector({ url: server.url }).open(never));
    expect([code, message]).toEqual([
      'upstream_error',
      'cluster health failed with status 503: master_not_discovered_exception',
    ]);
  });
});
