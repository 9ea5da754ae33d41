import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { failureOf, openConnector, run, startServer } from '../testing/bed.ts';
import type { Fault } from '../testing/server.ts';

async function library(written: Readonly<Record<string, unknown>> = {}) {
  const server = await startServer();
  server.index('books').put('b1', { title: 'emma' }, false);
  const base = connectorServices();
  const slept: number[] = [];
  const clock = { ...base.clock, sleep: async (milliseconds: number) => void slept.push(milliseconds) };
  const connector = await openConnector({ url: server.url, index: 'books', ...written }, { ...base, clock });
  const asked = () => server.seen.slice(1).length;
  return { server, connector, slept, asked };
}

describe('an answer with an error status', () => {
  test.each<[number, string, boolean]>([
    [400, 'upstream_error', false],
    [401, 'upstream_error', false],
    [403, 'upstream_error', false],
    [409, 'constraint_violated', false],
    [413, 'upstream_error', false],
    [429, 'upstream_error', true],
    [500, 'upstream_error', true],
    [503, 'upstream_error', true],
  ])('%i is %s, and may be tried again: %s', async (status, code, retriable) => {
    const { server, connector } = await library();
    const cause = { type: 'some_exception', reason: 'why', caused_by: { type: 'other', reason: 'deeper' } };
    server.faults.push({
      status,
      body: { error: { root_cause: [cause], ...cause }, status },
      headers: { 'retry-after': '7' },
    });
    const failure = await failureOf(run(connector, {}));
    expect([failure.code, failure.retriable, failure.upstream?.status, failure.retryAfter, failure.message]).toEqual([
      code,
      retriable,
      status,
      7_000,
      `search failed with status ${status}: some_exception: why: deeper`,
    ]);
  });

  test.each<[string, Parameters<typeof run>[1], boolean]>([
    ['create', { verb: 'create', operation: 'create' }, false],
    ['index', { verb: 'create' }, true],
    ['update', { verb: 'update' }, true],
    ['delete', { verb: 'delete' }, true],
    ['update_by_query', { verb: 'update', operation: 'update_by_query' }, false],
  ])('409 of %s may be tried again, where another request came between: %s', async (action, call, retriable) => {
    const { server, connector } = await library();
    const error = { type: 'version_conflict_engine_exception', reason: 'current version is higher' };
    server.faults.push({ status: 409, body: { error, status: 409 } });
    const request = { payload: { id: 'b1', n: 1 }, filters: { id: 'b1' } };
    const failure = await failureOf(run(connector, call, request));
    expect([failure.code, failure.retriable, failure.message.startsWith(action)]).toEqual([
      'constraint_violated',
      retriable,
      true,
    ]);
  });

  test('shows the beginning of what is not an error of the server', async () => {
    const { server, connector } = await library();
    server.faults.push({ status: 502, body: '<html>bad gateway</html>', headers: { 'content-type': 'text/html' } });
    expect((await failureOf(run(connector, {}))).message).toBe(
      'search failed with status 502: <html>bad gateway</html>',
    );
    server.faults.push({ status: 200, body: '<html>hello</html>' });
    expect((await failureOf(run(connector, {}))).message).toContain('search: the answer cannot be used: ');
    server.faults.push({ status: 200, body: '[]' });
    expect((await failureOf(run(connector, {}))).message).toBe('search: the answer is not an object');
  });

  test.each([
    ['timed_out', { timed_out: true }, 'it took too long'],
    ['failed shards', { _shards: { total: 5, failed: 2 } }, '2 shards failed'],
  ])('or a part of an answer is a failure: %s', async (_name, changed, reason) => {
    const { server, connector } = await library();
    server.changed = changed;
    for (const operation of ['search', 'aggregate', 'count']) {
      const failure = await failureOf(run(connector, { operation }));
      expect([failure.code, failure.retriable, failure.message]).toEqual([
        'connector_failed',
        true,
        `${operation}: the server found a part only: ${reason}`,
      ]);
    }
    expect(server.seen.at(-2)?.path).toBe('/books/_search?allow_partial_search_results=false');
  });
});

describe('a request is repeated as retry says', () => {
  const busy = (status: number, times: number, headers: Fault['headers'] = {}): Fault => ({ status, times, headers });

  test('when it reads or writes under an id; never when that could be twice', async () => {
    const attempts = async (call: Parameters<typeof run>[1], request: Parameters<typeof run>[2], status: number) => {
      const { server, connector, asked } = await library({ retry: { attempts: 3, delay: 1 } });
      server.faults.push(busy(status, 9));
      await failureOf(run(connector, call, request));
      return asked();
    };
    const one = { payload: { id: 'b1', n: 1 } };
    expect([
      await attempts({}, {}, 503),
      await attempts({ operation: 'get' }, { filters: { id: 'b1' } }, 502),
      await attempts({ verb: 'create' }, one, 503),
      await attempts({ verb: 'create' }, { payload: { n: 1 } }, 503),
      await attempts({ verb: 'create', operation: 'create' }, one, 503),
      await attempts({ verb: 'delete' }, { filters: { id: 'b1' } }, 503),
      await attempts({ verb: 'create', operation: 'create' }, one, 429),
      await attempts({}, {}, 400),
      await attempts({}, {}, 500),
    ]).toEqual([3, 3, 3, 1, 1, 1, 3, 1, 1]);
  });

  test('after a wait that grows, or that the server asks for, and gets its answer', async () => {
    const { server, connector, slept } = await library({ retry: { attempts: 4, delay: 1000, max_delay: 1500 } });
    server.faults.push(busy(503, 2), busy(429, 1, { 'retry-after': '120' }));
    expect((await run(connector, {})).rows?.length).toBe(1);
    const [first = 0, second = 0, third = 0] = slept;
    expect([first / 1000, second / 1500].every((part) => part >= 0.8 - 1e-9 && part <= 1.2)).toBe(true);
    expect([second <= 1500, third, slept.length]).toEqual([true, 30_000, 3]);
  });

  test.each(['constant', 'linear', 'exponential'] as const)('with waits that grow: %s', async (backoff) => {
    const { server, connector, slept } = await library({ retry: { attempts: 4, delay: 1000, backoff } });
    server.faults.push(busy(503, 9));
    await failureOf(run(connector, {}));
    const grown = { constant: [1, 1, 1], linear: [1, 2, 3], exponential: [1, 2, 4] }[backoff];
    expect(slept.map((each, at) => Math.abs(each / 1000 / (grown[at] as number) - 1) <= 0.2 + 1e-9)).toEqual([
      true,
      true,
      true,
    ]);
  });

  test('and once without it', async () => {
    const { server, connector, asked } = await library();
    server.faults.push(busy(503, 9));
    await failureOf(run(connector, {}));
    expect(asked()).toBe(1);
  });
});

describe('A-10: a connection that breaks after a request was sent', () => {
  test.each([
    ['a read', { verb: 'read' }, {}, 'connector_refused'],
    ['index', { verb: 'create' }, { payload: { id: 'b9', n: 1 } }, 'outcome_unknown'],
    ['delete', { verb: 'delete' }, { filters: { id: 'b1' } }, 'outcome_unknown'],
    ['bulk', { verb: 'create', operation: 'bulk' }, { payload: { items: [{ n: 1 }] } }, 'outcome_unknown'],
  ] as const)('leaves the outcome of %s known or not', async (_name, call, request, code) => {
    const server = await startServer();
    const proxy = await faultProxy({ port: server.port });
    const connector = await openConnector({ url: `http://127.0.0.1:${proxy.port}`, index: 'stuck' });
    const asked = failureOf(run(connector, call, request));
    await until(() => server.held.size === 1);
    proxy.reset();
    expect((await asked).code).toBe(code);
    await proxy.close();
  });

  test('and one that was not answered in time does too', async () => {
    const { connector } = await library({ index: 'stuck' });
    const write = run(connector, { verb: 'create', timeout: 50 }, { payload: { n: 1 } });
    expect((await failureOf(write)).code).toBe('outcome_unknown');
    expect((await failureOf(run(connector, { timeout: 50 }))).code).toBe('connector_timeout');
  });

  test('but not one that never left: another node is asked', async () => {
    const server = await startServer();
    const nodes = ['http://127.0.0.1:1', server.url];
    const connector = await openConnector({ nodes, index: 'books' });
    for (let at = 0; at < 3; at++) await run(connector, { verb: 'create' }, { payload: { n: at } });
    expect(server.index('books').documents.size).toBe(3);
    await server.close();
    // Connections that were kept are found broken by reads.
    await until(async () => (await failureOf(run(connector, {}))).message.includes('cannot reach'));
    expect((await failureOf(run(connector, { verb: 'create' }, { payload: { n: 1 } }))).code).toBe('connector_refused');
  });
});
