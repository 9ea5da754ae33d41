import { describe, expect, test } from 'vitest';
import { failureOf, indexName, libraryOf, openConnector, run, startServer } from '../testing/bed.ts';
import { data, withData, written } from '../testing/written.ts';

const bulk = { verb: 'create', operation: 'bulk' } as const;
const count = { operation: 'count' };

async function library(written: Readonly<Record<string, unknown>> = {}) {
  const connector = await libraryOf(written);
  const items = [
    { id: 'b1', title: 'emma', stock: 3 },
    { id: 'b2', title: 'dune', stock: 5 },
    { id: 'b3', title: 'atlas', stock: 0 },
  ];
  await run(connector, bulk, { payload: { items } });
  return connector;
}

const got = async (connector: Awaited<ReturnType<typeof library>>, id: string) =>
  (await run(connector, { operation: 'get' }, { filters: { id } })).rows?.[0];

describe('bulk', () => {
  test('indexes, creates, updates and deletes in one request', async () => {
    const connector = await library();
    const items = [
      { _id: 'b4', title: 'four' },
      { _action: 'create', title: 'made' },
      { _action: 'update', _id: 'b1', stock: 9 },
      { _action: 'delete', _id: 'b2' },
    ];
    const { affected, value } = await run(connector, bulk, { payload: { items } });
    const actions = (value as { items: Record<string, { status: number }>[] }).items.map(
      (item) => Object.entries(item).map(([action, { status }]) => [action, status])[0],
    );
    expect([affected, value, actions]).toEqual([
      4,
      { took: expect.any(Number), errors: false, items: expect.anything() },
      [
        ['index', 201],
        ['create', 201],
        ['update', 200],
        ['delete', 200],
      ],
    ]);
    expect([await got(connector, 'b1'), await got(connector, 'b2'), await got(connector, 'b4')]).toEqual([
      { id: 'b1', title: 'emma', stock: 9, _id: 'b1' },
      undefined,
      { title: 'four', _id: 'b4' },
    ]);
    expect((await run(connector, count)).rows).toEqual([{ count: 4 }]);
  });

  test('that is refused in part fails, says which items, and that the others were carried out', async () => {
    const connector = await library();
    const items = [
      { _id: 'new', stock: 1 },
      { _id: 'bad', stock: 'many' },
      { _action: 'create', _id: 'b1', stock: 1 },
    ];
    const failure = await failureOf(run(connector, bulk, { payload: { items } }));
    expect([failure.code, failure.retriable, failure.upstream?.status]).toEqual(['upstream_error', false, 400]);
    expect(failure.message).toMatch(
      /^bulk: 2 of 3 items failed, the others were carried out: items\[1\] \(index "bad"\): status 400: .*; items\[2\] \(create "b1"\): status 409: version_conflict/,
    );
    expect((await got(connector, 'new'))?.['stock']).toBe(1);
    const conflict = await failureOf(run(connector, bulk, { payload: { items: [items[2]] } }));
    expect(conflict.code).toBe('constraint_violated');
  });

  test('sends again the items for which the server was too busy, and no others', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books', retry: { attempts: 2, delay: 1 } });
    server.refusedItems.set(1, { status: 429, type: 'es_rejected_execution_exception' });
    const items = ['a', 'b', 'c'].map((id) => ({ _id: id, n: 1 }));
    const { affected, value } = await run(connector, bulk, { payload: { items } });
    const { items: ends } = value as { items: { index: { _id: string } }[] };
    expect([affected, ends.map(({ index }) => index._id)]).toEqual([3, ['a', 'b', 'c']]);
    expect(server.seen.slice(1).map(({ body }) => body)).toEqual([
      '{"index":{"_id":"a"}}\n{"n":1}\n{"index":{"_id":"b"}}\n{"n":1}\n{"index":{"_id":"c"}}\n{"n":1}\n',
      '{"index":{"_id":"b"}}\n{"n":1}\n',
    ]);
  });

  test('sends again an update that another request overtook, and leaves a document that exists', async () => {
    const server = await startServer();
    server.index('books').put('b1', { n: 1 }, false);
    server.index('books').put('b2', { n: 1 }, false);
    const connector = await openConnector({ url: server.url, index: 'books', retry: { attempts: 2, delay: 1 } });
    server.refusedItems.set(0, { status: 409, type: 'version_conflict_engine_exception' });
    const items = [
      { _action: 'update', _id: 'b1', n: 2 },
      { _action: 'create', _id: 'b2', n: 2 },
    ];
    const failure = await failureOf(run(connector, bulk, { payload: { items } }));
    expect([failure.code, failure.retriable, failure.message]).toEqual([
      'constraint_violated',
      false,
      expect.stringMatching(
        /^bulk: 1 of 2 items failed, the others were carried out: items\[1\] \(create "b2"\): status 409/,
      ),
    ]);
    expect(server.seen.slice(1).map(({ body }) => body)).toEqual([
      '{"update":{"_id":"b1","retry_on_conflict":3}}\n{"doc":{"n":2}}\n{"create":{"_id":"b2"}}\n{"n":2}\n',
      '{"update":{"_id":"b1","retry_on_conflict":3}}\n{"doc":{"n":2}}\n',
    ]);
    expect(['b1', 'b2'].map((id) => server.index('books').documents.get(id)?.source)).toEqual([{ n: 2 }, { n: 1 }]);
  });

  test('may be tried again as a whole only where that repeats nothing', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    const busy = { status: 429, type: 'es_rejected_execution_exception' };
    const retriable = async (items: readonly object[]) => {
      server.refusedItems.set(0, busy);
      return (await failureOf(run(connector, bulk, { payload: { items } }))).retriable;
    };
    expect([
      await retriable([
        { _id: 'a', n: 1 },
        { _id: 'b', n: 1 },
      ]),
      await retriable([{ n: 1 }, { _id: 'b', n: 1 }]),
      await retriable([{ _id: 'a', n: 1 }, { n: 1 }]),
    ]).toEqual([true, true, false]);
  });

  test('refuses items that cannot be sent before anything is', async () => {
    const server = await startServer();
    const own = indexName();
    const connector = await openConnector({ url: server.url, index: 'books', indices: [own] });
    const items = [
      { _id: 'fine', n: 1 },
      'text',
      { _action: 'script', n: 1 },
      { _action: 'update', n: 1 },
      { _action: 'delete' },
      { _id: 'empty' },
      { _index: '.security', n: 1 },
      { _id: { a: 1 }, n: 1 },
    ];
    const failure = await failureOf(run(connector, bulk, { payload: { items } }));
    expect([failure.code, failure.fields?.map(({ field, code }) => [field, code])]).toEqual([
      'value_refused',
      [
        ['items[1]', 'type_mismatch'],
        ['items[2]', 'enum'],
        ['items[3]', 'required'],
        ['items[4]', 'required'],
        ['items[5]', 'required'],
        ['items[6]', 'type_mismatch'],
        ['items[7]', 'type_mismatch'],
      ],
    ]);
    expect((await failureOf(run(connector, bulk, { payload: { items: {} } }))).code).toBe('nothing_to_write');
    expect(await run(connector, bulk, { payload: { items: [] } })).toEqual({ affected: 0 });
    expect(server.seen.length).toBe(1);
    await run(connector, bulk, { payload: { items: [{ _index: own, _id: 'x', n: 1 }] } });
    expect(server.index(own).documents.size).toBe(1);
  });

  test('S-50: an item is data, whatever its fields are named', async () => {
    const connector = await library();
    const items = [
      { _action: 'update', _id: 'b1', script: { source: 'ctx._source.clear()' } },
      { _action: 'update', _id: 'b2', doc: { stock: 0 }, text: 'a\n{"delete":{"_id":"b3"}}\n' },
    ];
    await run(connector, bulk, { payload: { items } });
    expect([
      (await got(connector, 'b1'))?.['script'],
      (await got(connector, 'b2'))?.['stock'],
      await got(connector, 'b3'),
    ]).toEqual([{ source: 'ctx._source.clear()' }, 5, expect.objectContaining({ title: 'atlas' })]);
  });
});

describe('what a query finds', () => {
  test('is deleted, and counted', async () => {
    const connector = await library();
    const remove = { verb: 'delete', operation: 'delete_by_query' } as const;
    expect(await run(connector, remove, { filters: { stock: 0 } })).toEqual({ affected: 1 });
    const body = { query: { range: { stock: { gte: data } } } };
    const asked = { ...remove, written: { body: written(body) } };
    expect(await run(connector, asked, { payload: withData(body, 5) as Record<string, unknown> })).toEqual({
      affected: 1,
    });
    expect((await run(connector, count)).rows).toEqual([{ count: 1 }]);
  });

  test('without a filter is nothing', async () => {
    const connector = await library();
    for (const operation of ['delete_by_query', 'update_by_query']) {
      const verb = operation === 'delete_by_query' ? 'delete' : 'update';
      const failure = await failureOf(run(connector, { verb, operation }, { payload: { stock: 0 } }));
      expect([failure.code, failure.message]).toEqual([
        'filter_missing',
        expect.stringContaining('would change every document'),
      ]);
    }
    expect((await run(connector, count)).rows).toEqual([{ count: 3 }]);
  });

  test('is updated: with fields, or by the script of the configuration', async () => {
    const connector = await library();
    const update = { verb: 'update', operation: 'update_by_query' } as const;
    expect(await run(connector, update, { filters: { stock: 0 }, payload: { stock: 1, script: 'x' } })).toEqual({
      affected: 1,
    });
    const call = { ...update, words: { script: 'ctx._source.stock += params.n' } };
    const words = { script_params: { n: 10 } };
    expect(await run(connector, call, { filters: { _id: ['b1', 'b3'] }, words })).toEqual({ affected: 2 });
    const one = { ...call, operation: 'update' };
    expect(await run(connector, one, { filters: { id: 'b2' }, words })).toEqual({ affected: 1 });
    expect([await got(connector, 'b1'), await got(connector, 'b2'), await got(connector, 'b3')]).toEqual([
      { id: 'b1', title: 'emma', stock: 13, _id: 'b1' },
      { id: 'b2', title: 'dune', stock: 15, _id: 'b2' },
      { id: 'b3', title: 'atlas', stock: 11, script: 'x', _id: 'b3' },
    ]);
  });

  test('a script belongs to what changes documents', async () => {
    const connector = await library();
    const failure = await failureOf(run(connector, { verb: 'create', words: { script: 'x' } }, { payload: { a: 1 } }));
    expect(failure.message).toContain('index runs no script');
  });

  test('that another request changed meanwhile ends the work, and says how far it came', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    const answer = { deleted: 7, version_conflicts: 1, timed_out: false, failures: [{ id: 'b9', status: 409 }] };
    server.faults.push({ status: 409, body: answer });
    const failure = await failureOf(
      run(connector, { verb: 'delete', operation: 'delete_by_query' }, { filters: { a: 1 } }),
    );
    expect([failure.code, failure.retriable, failure.message]).toEqual([
      'constraint_violated',
      false,
      'delete_by_query ended early: 7 documents were deleted, 1 were changed by another request meanwhile',
    ]);
  });
});
