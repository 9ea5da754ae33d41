import { describe, expect, test } from 'vitest';
import type { CallRequest } from '../../foundation/contracts/target.ts';
import { serverUrl } from './testing/address.ts';
import { failureOf, indexName, libraryOf, openConnector, prepared, run, startServer } from './testing/bed.ts';

const emma = { id: 'b1', title: 'emma', pages: 474, tags: ['novel', 'classic'] };
const dune = { id: 'b2', title: 'dune messiah', pages: 256, tags: ['novel'] };
const atlas = { id: 'b3', title: 'atlas', pages: 96 };
const index = { verb: 'create', operation: 'INSERT' } as const;

/** A connector whose index has three books. */
async function library(written: Readonly<Record<string, unknown>> = {}) {
  const connector = await libraryOf(written);
  for (const payload of [emma, dune, atlas]) await run(connector, index, { payload });
  return connector;
}

/** Titles in the order of their pages. */
const titles = async (connector: Awaited<ReturnType<typeof library>>, filters: CallRequest['filters']) => {
  const { rows = [] } = await run(connector, {}, { filters });
  return rows.toSorted((a, b) => Number(a['pages']) - Number(b['pages'])).map(({ title }) => title);
};

describe('documents', () => {
  test('are indexed under their id, text or number, and read back with it', async () => {
    const connector = await libraryOf();
    const numbered = indexName();
    expect([
      await run(connector, index, { payload: emma }),
      await run(connector, { ...index, target: numbered }, { payload: { id: 3, title: 'three' } }),
      await run(connector, { operation: 'get' }, { filters: { id: 'b1' } }),
      await run(connector, { operation: 'get', target: numbered }, { filters: { id: 3n } }),
      await run(connector, { operation: 'get' }, { filters: { id: 'none' } }),
    ]).toEqual([
      { id: 'b1', affected: 1 },
      { id: '3', affected: 1 },
      { rows: [{ ...emma, _id: 'b1' }] },
      { rows: [{ id: 3, title: 'three', _id: '3' }] },
      { rows: [] },
    ]);
  });

  test('without an id get one from the server; `params.id` wins over that of the document', async () => {
    const connector = await libraryOf();
    const { id } = await run(connector, index, { payload: { title: 'lost' } });
    const named = await run(connector, index, {
      payload: { id: 'own', title: 'kept' },
      params: { id: 'given' },
    });
    const { id: beside } = await run(connector, index, { payload: { _id: 'aside', title: 'kept' } });
    const { rows } = await run(connector, { operation: 'get' }, { filters: { id } });
    const given = { id: 'given', key: 'given', affected: 1 };
    expect([rows, named, beside]).toEqual([[{ title: 'lost', _id: id }], given, 'aside']);
  });

  test('may have any id: it is one segment of the path', async () => {
    const connector = await libraryOf();
    const ids = ['a/b', '../x', 'ä ?#%', '_search', 'a,b', '*'];
    for (const id of ids) await run(connector, index, { payload: { id, title: 't' } });
    const read = await Promise.all(ids.map((id) => run(connector, { operation: 'get' }, { filters: { id } })));
    expect(read.map(({ rows }) => rows?.[0]?.['id'])).toEqual(ids);
    for (const id of ['..', '.', 'x'.repeat(513), { a: 1 }, '\ud800']) {
      const { code } = await failureOf(run(connector, { operation: 'get' }, { filters: { id } }));
      expect([id, code]).toEqual([id, 'value_refused']);
    }
  });

  test('that exist are replaced by index and refused by create', async () => {
    const connector = await library();
    await run(connector, index, { payload: { id: 'b1', title: 'other' } });
    const refused = await failureOf(run(connector, { verb: 'create', operation: 'create' }, { payload: emma }));
    const { rows } = await run(connector, { operation: 'get' }, { filters: { id: 'b1' } });
    expect([rows, refused.code, refused.retriable, refused.upstream?.status]).toEqual([
      [{ id: 'b1', title: 'other', _id: 'b1' }],
      'constraint_violated',
      false,
      409,
    ]);
    expect(refused.message).toContain('create failed with status 409: version_conflict_engine_exception: ');
  });

  test('are updated and deleted by id; what addresses one wins over what is in it', async () => {
    const connector = await library();
    const set = { filters: { id: 'b1' }, payload: { id: 'b2', _id: 'b2', pages: 500 } };
    expect(await run(connector, { verb: 'update' }, set)).toEqual({ affected: 1 });
    expect(await run(connector, { verb: 'delete' }, { filters: { id: 'b3' } })).toEqual({ affected: 1 });
    expect(await titles(connector, {})).toEqual(['dune messiah', 'emma']);
    const missing = [
      await failureOf(run(connector, { verb: 'update' }, { filters: { id: 'no' }, payload: { pages: 1 } })),
      await failureOf(run(connector, { verb: 'delete' }, { filters: { id: 'no' } })),
      await failureOf(run(connector, { verb: 'delete' }, {})),
      await failureOf(run(connector, { verb: 'update' }, { filters: { id: 'b1' }, payload: {} })),
    ];
    expect(missing.map(({ code, retriable }) => [code, retriable])).toEqual([
      ['not_found', false],
      ['not_found', false],
      ['filter_missing', false],
      ['nothing_to_write', false],
    ]);
  });

  test('keep all digits of their integers', async () => {
    const server = await startServer();
    const connector = await openConnector({ url: server.url, index: 'books' });
    await run(connector, index, { payload: { id: 'big', isbn: 9007199254740993n, small: 5n } });
    expect(server.seen.at(-1)?.body).toBe('{"id":"big","isbn":9007199254740993,"small":5}');
    const body = '{"found":true,"_id":"big","_source":{"isbn":9007199254740993,"small":5}}';
    server.faults.push({ status: 200, body });
    const { rows } = await run(connector, { operation: 'get' }, { filters: { id: 'big' } });
    expect(rows).toEqual([{ isbn: 9007199254740993n, small: 5, _id: 'big' }]);
  });
});

describe('a search', () => {
  test('without a body finds what equals the filters', async () => {
    const connector = await library();
    expect([
      await titles(connector, undefined),
      await titles(connector, { pages: 256 }),
      await titles(connector, { pages: [256, 96] }),
      await titles(connector, { tags: null }),
      await titles(connector, { _id: 'b2' }),
      await titles(connector, { _id: ['b1', 'b3'], pages: 96 }),
      await titles(connector, { title: 'none' }),
      await titles(connector, { title: 'dune messiah' }),
      await titles(connector, { 'title.keyword': 'dune messiah' }),
    ]).toEqual([
      ['atlas', 'dune messiah', 'emma'],
      ['dune messiah'],
      ['atlas', 'dune messiah'],
      ['atlas'],
      ['dune messiah'],
      ['atlas'],
      [],
      [],
      ['dune messiah'],
    ]);
  });

  test('finds a document by its id, whatever the engine makes of the words of it', async () => {
    const connector = await libraryOf();
    const [one, two] = [
      { id: 'Order-1', state: 'new' },
      { id: 'Order-2', state: 'new' },
    ];
    for (const payload of [one, two]) await run(connector, index, { payload });
    const found = async (filters: CallRequest['filters']) =>
      (await run(connector, {}, { filters })).rows?.map(({ _id }) => _id).sort();
    expect([
      await found({ id: 'Order-1' }),
      await found({ id: ['Order-1', 'Order-2'], state: 'new' }),
      await found({ id: 'order' }),
      (await run(connector, { operation: 'count' }, { filters: { id: 'Order-2' } })).rows,
    ]).toEqual([['Order-1'], ['Order-1', 'Order-2'], [], [{ count: 1 }]]);
  });

  test.each([[null], [''], [[null]], [['a', '']], [true], [{}]])(
    'of the id %j is refused before anything is sent',
    async (id) => {
      const connector = await libraryOf();
      for (const operation of [undefined, 'count', 'hits', 'delete_by_query'])
        for (const name of ['id', '_id'])
          expect(await failureOf(run(connector, { operation }, { filters: { [name]: id } }))).toMatchObject({
            code: 'value_refused',
            upstream: undefined,
            fields: [{ field: expect.stringMatching(/^_?id$/) }],
          });
    },
  );

  test('gives rows of documents with id and score', async () => {
    const connector = await library();
    const { rows } = await run(connector, { operation: 'search' }, { filters: { pages: 96 } });
    expect(rows).toEqual([{ ...atlas, _id: 'b3', _score: expect.any(Number) }]);
  });

  test('of fields answers those alone', async () => {
    const connector = await library();
    const words = { fields: ['title'] };
    const one = await run(connector, { operation: 'get', words }, { filters: { id: 'b1' } });
    const found = await run(connector, { words }, { filters: { pages: 474 } });
    expect([one.rows, found.rows]).toEqual([
      [{ title: 'emma', _id: 'b1' }],
      [{ title: 'emma', _id: 'b1', _score: expect.any(Number) }],
    ]);
  });

  test('hits are the documents with how many there are', async () => {
    const connector = await library();
    const hits = { operation: 'hits' };
    expect([
      await run(connector, { ...hits, exact: true }, { filters: { tags: 'classic' } }),
      await run(connector, hits, { filters: { tags: 'none' } }),
    ]).toEqual([
      { rows: [{ hits: [{ ...emma, _id: 'b1', _score: 1 }], total: 1n, total_relation: 'eq' }] },
      { rows: [{ hits: [], total: 0, total_relation: 'eq' }] },
    ]);
  });

  test('counts exactly; integers are int where expressions read them', async () => {
    const connector = await library();
    const count = { operation: 'COUNT', exact: true };
    expect([
      await run(connector, count),
      await run(connector, { ...count, exact: false }, { filters: { tags: 'novel' } }),
    ]).toEqual([{ rows: [{ count: 3n }] }, { rows: [{ count: 2 }] }]);
  });

  test('of an index that is missing is a failure of the configuration', async () => {
    const connector = await libraryOf();
    for (const call of [{}, { operation: 'get' }, { operation: 'count' }, { verb: 'delete' } as const]) {
      const failure = await failureOf(run(connector, { ...call, target: indexName() }, { filters: { id: 'a' } }));
      expect([failure.code, failure.upstream?.status, failure.retriable]).toEqual(['upstream_error', 404, false]);
    }
    const update = { verb: 'update', target: indexName() } as const;
    const { code } = await failureOf(run(connector, update, { filters: { id: 'a' }, payload: { n: 1 } }));
    expect(code).toBe('not_found');
  });

  test('needs an index from somewhere', async () => {
    const connector = await openConnector({ url: serverUrl ?? (await startServer()).url });
    const { code, message } = await failureOf(run(connector, {}));
    expect([code, message]).toEqual([
      'connector_failed',
      'connector "books" has no index, and the call names none: write target, or index into the connector',
    ]);
  });
});

test('indices and aliases are named for editors, without those of the server itself', async () => {
  const server = await startServer();
  for (const name of ['books', '.security-7', 'authors']) server.index(name);
  server.aliases = { books: { library: {}, '.hidden': {} }, authors: { library: { is_write_index: true } } };
  const connector = await openConnector({ url: server.url });
  const never = new AbortController().signal;
  expect(await connector.knownTargets?.(never)).toEqual([
    { name: 'library', kind: 'alias' },
    { name: 'books', kind: 'index' },
    { name: 'authors', kind: 'index' },
  ]);
  for (let at = 0; at < 1_200; at++) server.index(`log-${at}`);
  expect((await connector.knownTargets?.(never))?.length).toBe(1_000);
  server.faults.push({ status: 403, body: { error: { type: 'security_exception', reason: 'not allowed' } } });
  const { message } = await failureOf(Promise.resolve(connector.knownTargets?.(never)));
  expect(message).toBe('names of indices failed with status 403: security_exception: not allowed');
});

describe('an index that a message names', () => {
  test('is one of those that are listed', async () => {
    const own = indexName();
    const connector = await libraryOf({ indices: [own, 'logs-*'] });
    const write = prepared(connector, index);
    await write({ target: own, payload: emma });
    expect((await run(connector, { operation: 'count' }, { target: own })).rows).toEqual([{ count: 1 }]);
    for (const target of ['other', '_all', 'logs-*', `${own},other`, '*', '../_cluster'])
      expect((await failureOf(run(connector, {}, { target }))).code).toBe('value_refused');
    const unlisted = await libraryOf();
    expect((await failureOf(run(unlisted, {}, { target: own }))).code).toBe('value_refused');
  });
});
