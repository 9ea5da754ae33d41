import { describe, expect, test } from 'vitest';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import { failureOf, libraryOf, openConnector, run, startServer } from '../testing/bed.ts';
import { data, withData, written } from '../testing/written.ts';

const books = [
  { id: 'b1', title: 'emma', pages: 474, tag: 'novel' },
  { id: 'b2', title: 'dune messiah', pages: 256, tag: 'novel' },
  { id: 'b3', title: 'atlas', pages: 96, tag: 'map' },
];
/** Objects that the server would read as a part of a query, or as code. */
const hostile: readonly unknown[] = [
  { script: { source: 'while(true){}' } },
  { source: 'ctx._source.clear()' },
  { query: 'emma', fuzziness: 'AUTO' },
  { index: 'users', id: '1', path: 'tags' },
  [{ script: 'x' }],
  [['x']],
  new Map([['query', 'emma']]),
];

async function library() {
  const connector = await libraryOf();
  for (const payload of books) await run(connector, { verb: 'create' }, { payload });
  return connector;
}

/** Asks as a step with a body does: the configuration writes `body`, in which `given` is what is data. */
async function asked(
  connector: Awaited<ReturnType<typeof library>>,
  operation: string,
  body: unknown,
  given?: unknown,
) {
  const call: Partial<CallDescription> = { operation, written: { body: written(body) } };
  return run(connector, call, { payload: withData(body, given) as Record<string, unknown> });
}

describe('the body of a step', () => {
  test('is what is searched for, with values of the message in it', async () => {
    const connector = await library();
    const body = { query: { match: { title: data } }, size: 5 };
    const { rows } = await asked(connector, 'search', body, 'dune');
    expect(rows).toEqual([{ ...books[1], _id: 'b2', _score: expect.any(Number) }]);
  });

  test('counts what is found as far as it says', async () => {
    const connector = await library();
    const first = { sort: [{ pages: 'asc' }], size: 1, _source: ['title'] };
    const hits = (body: object) => asked(connector, 'hits', { ...first, ...body });
    const found = [{ title: 'atlas', _id: 'b3', _score: null, _sort: [96] }];
    const aggregated = { aggs: { most: { max: { field: 'pages' } } } };
    expect([
      await hits({}),
      await hits({ track_total_hits: 2 }),
      await hits({ track_total_hits: false, ...aggregated }),
    ]).toEqual([
      { rows: [{ hits: found, total: 3, total_relation: 'eq' }] },
      { rows: [{ hits: found, total: 2, total_relation: 'gte' }] },
      { rows: [{ hits: found, total: null, aggregations: { most: { value: 474 } } }] },
    ]);
  });

  test('pages, sorts, and continues after what was read; rows say where they are', async () => {
    const connector = await library();
    const page = { query: { match_all: {} }, sort: [{ pages: 'asc' }], size: data };
    const first = await asked(connector, 'search', page, 2n);
    const next = { query: { match_all: {} }, sort: [{ pages: { order: 'asc' } }], size: 2, search_after: data };
    const second = await asked(connector, 'search', next, first.rows?.at(-1)?.['_sort']);
    const from = await asked(connector, 'search', { sort: [{ pages: 'desc' }], from: 1, size: 1 });
    expect([first, second, from].map(({ rows }) => rows?.map(({ _id, _sort }) => [_id, _sort]))).toEqual([
      [
        ['b3', [96]],
        ['b2', [256]],
      ],
      [['b1', [474]]],
      [['b2', [256]]],
    ]);
  });

  test('begins where there is nothing to continue after, and refuses what is not of its order', async () => {
    const connector = await library();
    const page = { sort: [{ pages: 'asc' }], size: 2, search_after: data };
    const read: unknown[] = [];
    let after: unknown;
    for (;;) {
      const { rows = [] } = await asked(connector, 'search', page, after);
      read.push(rows.map(({ _id }) => _id));
      if (rows.length < 2) break;
      after = rows.at(-1)?.['_sort'];
    }
    expect(read).toEqual([['b3', 'b2'], ['b1']]);
    for (const wrong of ['text', 5, [1, 2], { a: 1 }, true])
      expect((await failureOf(asked(connector, 'search', page, wrong))).code).toBe('value_refused');
    for (const first of [null, '', []]) expect((await asked(connector, 'search', page, first)).rows?.length).toBe(2);
  });

  test('beyond max_hits, or with a size that is not a whole number, is refused', async () => {
    const connector = await library();
    const page = { from: 10, size: data };
    for (const size of [9_991, -1, 1.5, 'ten', null])
      expect([size, (await failureOf(asked(connector, 'search', page, size))).code]).toEqual([size, 'value_refused']);
    expect((await asked(connector, 'search', page, 9_990)).rows).toEqual([]);
  });

  test('of aggregate gives the aggregations as one row', async () => {
    const connector = await library();
    const field = { field: 'tag.keyword' };
    const body = { query: { match_all: {} }, aggs: { tags: { terms: field }, longest: { max: { field: 'pages' } } } };
    expect((await asked(connector, 'AGGREGATE', body)).rows).toEqual([
      {
        aggregations: {
          tags: {
            doc_count_error_upper_bound: 0,
            sum_other_doc_count: 0,
            buckets: [
              { key: 'novel', doc_count: 2 },
              { key: 'map', doc_count: 1 },
            ],
          },
          longest: { value: 474 },
        },
      },
    ]);
  });

  test('of count is the query, or has it', async () => {
    const connector = await library();
    expect([
      await asked(connector, 'count', { query: { match: { title: data } } }, 'emma'),
      await asked(connector, 'count', { range: { pages: { gte: data } } }, 256),
    ]).toEqual([{ rows: [{ count: 1 }] }, { rows: [{ count: 2 }] }]);
  });

  test('S-50: takes texts, numbers and lists of them from a message, and never an object', async () => {
    const connector = await library();
    const places = [
      { query: { match: { title: data } } },
      { query: { bool: { filter: [{ term: { tag: data } }] } } },
      { query: { terms: { tag: data } } },
      ...['doc', 'params', 'upsert', 'script', 'index'].flatMap((field) => [
        { query: { terms: { [field]: data } } },
        { query: { bool: { filter: [{ nested: { path: 'p', query: { match: { [field]: data } } } }] } } },
        { aggs: { [field]: { filter: { term: { [field]: data } } } } },
        { query: { match_all: {} }, post_filter: { range: { [field]: { gte: data } } } },
      ]),
      { query: { script: { script: { source: 'params.p', params: { p: data } } } } },
      { query: { script: { script: { source: 'params.p', params: { p: { q: data } } } } } },
      { sort: data },
      { _source: data },
      { fields: [data] },
    ];
    const codes = new Set<string>();
    for (const body of places)
      for (const value of hostile) codes.add((await failureOf(asked(connector, 'search', body, value))).code);
    expect([...codes]).toEqual(['value_refused']);
    const listed = { query: { terms: { tag: data } } };
    expect((await asked(connector, 'search', listed, ['map', 'none'])).rows?.length).toBe(1);
  });

  test.each([
    ['body', data],
    ['query.script', { query: { script: data } }],
    ['query.script.script.source', { query: { script: { script: { source: data } } } }],
    ['script_fields.f.script', { script_fields: { f: { script: data } } }],
    ['runtime_mappings.f', { runtime_mappings: { f: data } }],
    ['aggs.a.scripted_metric.map_script', { aggs: { a: { scripted_metric: { map_script: data } } } }],
    ['query.terms.tag.index', { query: { terms: { tag: { index: data, id: '1', path: 'tags' } } } }],
    ['query', { query: data }],
    ['query.bool.filter', { query: { bool: { filter: data } } }],
    ['aggs', { aggs: data }],
    ['query.wrapper.query', { query: { wrapper: { query: data } } }],
    ['query.new_clause.text', { query: { new_clause: { text: data } } }],
    [
      'collapse.inner_hits.script_fields.f.script',
      { collapse: { inner_hits: { script_fields: { f: { script: data } } } } },
    ],
  ])('S-50: has no place for a message at %s', async (place, body) => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    const failure = await failureOf(asked(connector, 'search', body, 'text'));
    expect([failure.code, failure.retriable]).toEqual(['connector_failed', false]);
    expect(failure.message).toContain(place);
    expect(server.seen.map(({ path }) => path)).toEqual(['/_cluster/health']);
  });

  test('gives values to the parameters of its script, below what the configuration writes', async () => {
    const server = await startServer();
    server.index('books').put('b1', { pages: 1 }, false);
    const connector = await openConnector({ url: server.url, index: 'books' });
    const body = { query: { script: { script: { source: 'params.p.a.size() > 0', params: { p: { a: data } } } } } };
    await failureOf(asked(connector, 'search', body, [1]));
    expect(JSON.parse(server.seen.at(-1)?.body ?? '')).toEqual(withData(body, [1]));
  });

  test('S-50: a field of any name is searched with values, and reaches no other index', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    server.index('salaries').put('1', { names: ['emma'] }, false);
    for (const field of ['doc', 'params', 'upsert', 'description', 'source', 'lang', 'index', 'template', 'script']) {
      server.index('books').put(field, { [field]: 'emma' }, false);
      const ids = async (query: unknown, given: unknown) =>
        (await asked(connector, 'search', { query }, given)).rows?.map(({ _id }) => _id);
      expect(await ids({ match: { [field]: data } }, 'emma')).toEqual([field]);
      expect(await ids({ terms: { [field]: data } }, ['emma'])).toEqual([field]);
      const lookup = { index: 'salaries', id: '1', path: 'names' };
      expect((await failureOf(ids({ terms: { [field]: data } }, lookup))).code).toBe('value_refused');
      // The configuration may look up itself, and a message say in which document.
      expect(await ids({ terms: { [field]: { ...lookup, id: data } } }, '1')).toEqual([field]);
    }
  });

  test('is the document where one is written', async () => {
    const connector = await library();
    await run(
      connector,
      { verb: 'create', operation: 'index', written: { body: written(data) } },
      { payload: { id: 'b4', a: { script: 'x' } } },
    );
    const { rows } = await run(connector, { operation: 'get' }, { filters: { id: 'b4' } });
    expect(rows).toEqual([{ id: 'b4', a: { script: 'x' }, _id: 'b4' }]);
  });
});

describe('the body of a destination', () => {
  test('is a word of its own', async () => {
    const connector = await library();
    const body = { query: { match: { title: data } } };
    const call = { operation: 'search', written: { body: written(body) } };
    const words = { body: withData(body, 'atlas') };
    expect((await run(connector, call, { words, filters: { pages: 1 } })).rows?.length).toBe(1);
    await run(connector, { verb: 'create' }, { words: { body: { id: 'own' } }, payload: { id: 'other' } });
    expect((await run(connector, { operation: 'get' }, { filters: { id: 'own' } })).rows?.length).toBe(1);
  });

  test('query_filter takes comparisons that the configuration writes', async () => {
    const connector = await library();
    const filter = { pages: { gte: data, lt: 400 }, tag: data };
    const call = { written: { query_filter: written(filter) } };
    const found = await run(connector, call, { filters: { pages: { gte: 100, lt: 400 }, tag: 'novel' } });
    expect(found.rows?.map(({ _id }) => _id)).toEqual(['b2']);
    const other = { written: { query_filter: written({ pages: { script: 'x' } }) } };
    expect((await failureOf(run(connector, other, { filters: {} }))).message).toContain(
      'query_filter.pages is an object of',
    );
    for (const value of hostile)
      expect((await failureOf(run(connector, call, { filters: { tag: value } }))).code).toBe('value_refused');
  });
});

describe('the body of a named operation', () => {
  test('takes its parameters', async () => {
    const connector = await library();
    const body = {
      query: { bool: { must: [{ match: { title: ':title' } }, { range: { pages: { gte: ':pages' } } }] } },
    };
    const call = { operation: 'search', named: { body }, parameters: ['title', 'pages'] };
    const of = (filters: Record<string, unknown>) => run(connector, call, { filters });
    expect((await of({ title: 'emma atlas', pages: 100 })).rows?.map(({ _id }) => _id)).toEqual(['b1']);
    const missing = await failureOf(of({ title: 'emma' }));
    expect([missing.code, missing.message]).toEqual(['parameters_invalid', 'parameter "pages" has no value']);
    for (const title of hostile) expect((await failureOf(of({ title, pages: 1 }))).code).toBe('value_refused');
  });

  test('S-50: has no place for a parameter in a script', async () => {
    const connector = await library();
    const body = { query: { script: { script: { source: ':code' } } } };
    const failure = await failureOf(
      run(connector, { named: { body }, parameters: ['code'] }, { filters: { code: 'x' } }),
    );
    expect(failure.message).toContain('query.script.script.source comes with the message');
  });

  test('absent, parameters filter, and limit, offset and sort choose the page', async () => {
    const connector = await library();
    const call = { operation: 'search', parameters: ['tag', 'limit', 'offset', 'sort'] };
    const of = async (filters: Record<string, unknown>) =>
      (await run(connector, call, { filters })).rows?.map(({ _id }) => _id);
    expect([
      await of({ sort: '-pages', limit: 2 }),
      await of({ sort: 'pages', offset: 1 }),
      await of({ tag: 'novel', sort: 'pages' }),
    ]).toEqual([
      ['b1', 'b2'],
      ['b2', 'b1'],
      ['b2', 'b1'],
    ]);
    expect((await failureOf(of({ sort: '_script;' }))).code).toBe('value_refused');
  });
});
