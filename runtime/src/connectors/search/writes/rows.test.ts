import { describe, expect, test } from 'vitest';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import type { CallDescription, WriteEach } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetConnector } from '../../testing/target-conformance.ts';
import { failureOf, openConnector, run, startServer } from '../testing/bed.ts';

const described: CallDescription = {
  verb: 'create',
  operation: 'INSERT',
  target: undefined,
  query: undefined,
  timeout: undefined,
  exact: false,
  flow: 'f',
  label: 'to "books"',
};

const eachOf = ({ target }: TargetConnector, call: Partial<CallDescription> = {}) =>
  target.prepareEach?.({ ...described, ...call });

async function library(written: Readonly<Record<string, unknown>> = {}, call: Partial<CallDescription> = {}) {
  const server = await startServer();
  const base = connectorServices();
  const pauses: (() => unknown)[] = [];
  const clock = { ...base.clock, sleep: async () => void pauses.shift()?.() };
  const connector = await openConnector({ url: server.url, index: 'books', ...written }, { ...base, clock });
  const write = eachOf(connector, call) as WriteEach;
  const sent = () => server.seen.slice(1).map(({ path, body }) => [path, body.split('\n').length - 1]);
  const documents = () => server.index('books').documents;
  return { server, connector, write, sent, documents, pauses };
}

const failures = (outcomes: readonly unknown[]) => outcomes as readonly (Failure | undefined)[];
const short = (outcomes: readonly unknown[]) =>
  failures(outcomes).map((failure) => failure && [failure.code, failure.retriable, failure.message]);
const rowsOf = (...ids: readonly string[]) => ids.map((id) => ({ id, n: 1 }));
const busy = { status: 429, type: 'es_rejected_execution_exception' };

describe('many rows', () => {
  test('are written by one request as each alone would be', async () => {
    const rows = [{ id: 'a', _id: 'other', n: 9007199254740993n }, { _id: 'b', n: 2, missing: undefined }, { n: 3 }];
    const { server, connector, write, sent, documents } = await library({ refresh: 'wait_for' });
    expect(await write(rows, {})).toEqual([undefined, undefined, undefined]);
    expect(sent()).toEqual([['/books/_bulk?refresh=wait_for', 6]]);
    expect(server.seen.at(-1)?.body).toBe(
      '{"index":{"_id":"a"}}\n{"id":"a","n":9007199254740993}\n' +
        '{"index":{"_id":"b"}}\n{"n":2}\n{"create":{}}\n{"n":3}\n',
    );
    const together = [...documents().values()].map(({ source }) => source);
    documents().clear();
    for (const payload of rows) await run(connector, described, { payload });
    expect([...documents().values()].map(({ source }) => source)).toEqual(together);
  });

  test('of which one is refused are written but for that one, whose failure is that of a single call', async () => {
    const { server, connector, write, documents } = await library({}, { operation: 'create' });
    server.index('books').put('b', { n: 0 }, false);
    const wrong = [{ id: 'b', n: 1 }, {}, { id: '.' }, { id: 'd', _routing: 'other', n: 1 }];
    const outcomes = await write([...rowsOf('a'), ...wrong, { id: 'c', _action: 'delete', n: 1 }], {});
    const single: Failure[] = [];
    for (const payload of wrong)
      single.push(await failureOf(run(connector, { ...described, operation: 'create' }, { payload })));
    expect(short(outcomes)).toEqual([undefined, ...short(single), undefined]);
    expect(short(single)[0]?.slice(0, 2)).toEqual(['constraint_violated', false]);
    expect([...documents()].map(([id, { source }]) => [id, source['n']])).toEqual([
      ['b', 0],
      ['a', 1],
      ['c', 1],
    ]);
  });

  test('for which the engine was too busy are sent again as `retry` says, and no others', async () => {
    const { server, write, sent } = await library({ retry: { attempts: 2, delay: 1 } });
    server.refusedItems.set(1, busy);
    expect(await write(rowsOf('a', 'b', 'c'), {})).toEqual([undefined, undefined, undefined]);
    expect(sent().map(([, lines]) => lines)).toEqual([6, 2]);
    const once = await library();
    once.server.refusedItems.set(1, busy);
    expect(short(await once.write(rowsOf('a', 'b', 'c'), {}))).toEqual([
      undefined,
      ['upstream_error', true, 'index failed with status 429: es_rejected_execution_exception: as asked'],
      undefined,
    ]);
  });

  test('that are sent again without an answer do not take those with them that are written', async () => {
    const { server, write, documents, pauses } = await library({ retry: { attempts: 2, delay: 1 } });
    server.refusedItems.set(0, busy);
    pauses.push(() => server.faults.push({ status: 500, path: '_bulk' }));
    expect(short(await write(rowsOf('a', 'b'), {}))).toEqual([
      ['upstream_error', true, 'index failed with status 500: fault: as asked'],
      undefined,
    ]);
    expect([...documents().keys()]).toEqual(['b']);
  });

  test('never have one id twice in a request, so that the last one stays', async () => {
    const { server, write, documents } = await library({ retry: { attempts: 2, delay: 1 } });
    const rows = [
      { id: 'a', n: 1 },
      { id: 'b', n: 1 },
      { id: 'a', n: 2 },
    ];
    server.refusedItems.set(0, busy);
    expect(await write(rows, {})).toEqual([undefined, undefined]);
    expect(await write(rows.slice(2), {})).toEqual([undefined]);
    expect(documents().get('a')?.source['n']).toBe(2);
  });

  test('are at most 5 MB a request, but for one document that is larger', async () => {
    const { write, sent } = await library();
    const text = (length: number) => ({ text: 'x'.repeat(length) });
    const rows = [text(2_000_000), text(2_900_000), text(6_000_000), text(10)];
    expect((await write(rows, {})).length).toBe(2);
    expect((await write(rows.slice(2), {})).length).toBe(1);
    expect(sent().map(([, lines]) => lines)).toEqual([4, 2]);
  });

  test('of which a server takes less are sent less, and one that is too large alone fails alone', async () => {
    const { server, write, sent, documents } = await library();
    server.faults.push({ status: 413, path: '_bulk' });
    const rows = rowsOf('a', 'b', 'c', 'd');
    expect(await write(rows, {})).toEqual([undefined, undefined]);
    expect(await write(rows.slice(2), {})).toEqual([undefined, undefined]);
    expect(sent().map(([, lines]) => lines)).toEqual([8, 4, 4]);
    expect(documents().size).toBe(4);
    server.faults.push({ status: 413, path: '_bulk' });
    expect(failures(await write(rows.slice(3), {})).map((failure) => failure?.upstream?.status)).toEqual([413]);
  });

  test('are written one by one where they are not whole documents', async () => {
    const { connector } = await library();
    const others = [
      { operation: 'bulk' },
      { verb: 'update', operation: 'UPDATE' },
      { verb: 'delete', operation: 'DELETE' },
      { verb: 'read', operation: undefined },
      { target: 'a,b' },
    ] as const;
    for (const call of others) expect(eachOf(connector, call)).toBeUndefined();
  });
});

describe('a request of many rows that has no answer', () => {
  test('is sent again only where every row has an id, and none is asked to be new', async () => {
    const attempts = async (rows: Parameters<WriteEach>[0], call: Partial<CallDescription> = {}) => {
      const { server, write, sent } = await library({ retry: { attempts: 3, delay: 1 } }, call);
      server.faults.push({ status: 503, path: '_bulk', times: 9 });
      const { code } = await failureOf(write(rows, {}));
      return [code, sent().length];
    };
    expect([
      await attempts(rowsOf('a', 'b')),
      await attempts([...rowsOf('a'), { n: 1 }]),
      await attempts(rowsOf('a', 'b'), { operation: 'create' }),
    ]).toEqual([
      ['upstream_error', 3],
      ['upstream_error', 1],
      ['upstream_error', 1],
    ]);
  });

  test('A-10: because its connection broke fails with all of them, outcome unknown', async () => {
    const server = await startServer();
    const proxy = await faultProxy({ port: server.port });
    const connector = await openConnector({ url: `http://127.0.0.1:${proxy.port}`, index: 'stuck' });
    const asked = failureOf((eachOf(connector) as WriteEach)(rowsOf('a', 'b'), {}));
    await until(() => server.held.size === 1);
    proxy.reset();
    expect((await asked).code).toBe('outcome_unknown');
    expect(server.seen.filter(({ path }) => path.endsWith('_bulk')).length).toBe(1);
    await proxy.close();
  });

  test('because its caller went away says so', async () => {
    const { server, write } = await library({ index: 'stuck' });
    const caller = new AbortController();
    const asked = failureOf(write(rowsOf('a', 'b'), { signal: caller.signal }));
    await until(() => server.held.size === 1);
    caller.abort();
    expect((await asked).code).toBe('cancelled');
  });
});
