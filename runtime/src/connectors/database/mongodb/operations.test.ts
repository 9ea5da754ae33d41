import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { failureOf } from '../testing/parts.ts';
import { type OpenedDatabase, openDatabase, written } from './testing/opened.ts';
import { type TestServer, testServer } from './testing/server.ts';

let server: TestServer;
let database: OpenedDatabase;
beforeAll(async () => {
  server = await testServer();
  database = await openDatabase(server, { collections: ['items', 'others'] });
});
afterAll(async () => {
  await database.connector.close();
  await server.stop();
});
beforeEach(() => server.database.collection('items').deleteMany({}));

const stored = (filter: object = {}) => server.database.collection('items').find(filter).toArray();
const put = (...documents: object[]) => server.database.collection('items').insertMany(documents);

describe('writing', () => {
  test('an INSERT answers the id that it made, INSERT_MANY how many there are', async () => {
    const { affected, id } = await database.run('create', { operation: 'INSERT' }, { payload: { name: 'Ann' } });
    expect([affected, await stored({ _id: new ObjectId(id as string) })]).toEqual([
      1,
      [{ _id: expect.anything(), name: 'Ann' }],
    ]);
    const documents = [{ _id: 'a' }, { _id: 'b' }];
    const many = await database.run('create', { operation: 'insert_many' }, { params: { documents } });
    expect([many, await stored({ _id: { $in: ['a', 'b'] } } as object)]).toEqual([{ affected: 2 }, documents]);
    expect(await database.run('create', { operation: 'INSERT_MANY' }, { payload: { _id: 'c' } })).toEqual({
      affected: 1,
    });
  });

  test('UPDATE sets the fields of the payload in the first document, UPDATE_MANY in all', async () => {
    await put({ _id: 'a', team: 1 }, { _id: 'b', team: 1 });
    const change = { filters: { team: 1 }, payload: { done: true } };
    expect(await database.run('update', {}, change)).toEqual({ affected: 1 });
    expect(await database.run('update', { operation: 'UPDATE_MANY' }, change)).toEqual({ affected: 2 });
    expect((await stored()).map(({ done }) => done)).toEqual([true, true]);
  });

  test('`update` is a document of operators, whose values come from the message', async () => {
    await put({ _id: 'a', stock: 5, tags: ['x'] });
    const update = {
      $inc: { stock: 'input.by' },
      $set: { 'last.user': 'input.user' },
      $push: { tags: { $each: 'input.tags' } },
    };
    const given = { $inc: { stock: -2n }, $set: { 'last.user': '$who' }, $push: { tags: { $each: ['y', 'z'] } } };
    const answer = await database.run(
      'update',
      { written: { update: written(update) } },
      { filters: { _id: 'a' }, words: { update: given } },
    );
    expect([answer, await stored()]).toEqual([
      { affected: 1 },
      [{ _id: 'a', stock: 3, tags: ['x', 'y', 'z'], last: { user: '$who' } }],
    ]);
    const hostile = { ...given, $set: { 'last.user': { $inc: 1 } } };
    const refused = await failureOf(() =>
      database.run(
        'update',
        { written: { update: written(update) } },
        { filters: { _id: 'a' }, words: { update: hostile } },
      ),
    );
    expect([refused.code, refused.fields]).toEqual(['value_refused', ['$set.last.user.$inc']]);
  });

  test.each([
    ['an expression', 'input.update', /must be an object of operators/],
    ['fields without an operator', { name: 'x' }, /"name", which is not an operator/],
    ['a pipeline', [{ $set: { a: 1 } }], /must be an object of operators/],
  ])('`update` that is %s is refused', async (_, update, problem) => {
    const failure = await failureOf(() =>
      database.run('update', { written: { update: written(update) } }, { filters: { _id: 'a' } }),
    );
    expect([failure.code, failure.message]).toEqual(['connector_failed', expect.stringMatching(problem)]);
  });

  test('`params.upsert` makes the document that UPDATE and REPLACE do not find', async () => {
    const params = { upsert: true };
    const made = await database.run('update', {}, { filters: { _id: 'a' }, payload: { n: 1 }, params });
    expect(made).toEqual({ affected: 1, id: 'a' });
    await database.run('update', { operation: 'REPLACE' }, { filters: { _id: 'a' }, payload: { m: 2 }, params });
    await database.run('update', { operation: 'REPLACE' }, { filters: { _id: 'b' }, payload: { m: 3 }, params });
    expect(await stored()).toEqual([
      { _id: 'a', m: 2 },
      { _id: 'b', m: 3 },
    ]);
  });

  test('what a REPLACE finds its document by stays in it, whether it makes it or not', async () => {
    const call = { operation: 'REPLACE' };
    const params = { upsert: true };
    const found = [{ id: 'p-1' }, { shop: 'north', number: 7 }, { id: '7' }];
    for (const filters of found)
      for (const n of [1, 2]) await database.run('update', call, { filters, payload: { n }, params });
    await database.run('update', call, { filters: { id: 'p-1' }, payload: { n: 3 } });
    expect((await stored()).map(({ _id, ...document }) => document)).toEqual([
      { id: 'p-1', n: 3 },
      { shop: 'north', number: 7, n: 2 },
      { id: '7', n: 2 },
    ]);
  });

  test('a REPLACE with another key than that of its document is refused, with the same it is not', async () => {
    const before = { _id: 'a', id: 'p-1', shop: 'north', n: 1 };
    await put(before);
    const replace = (filters: object, payload: object, params = {}) =>
      database.run('update', { operation: 'REPLACE' }, { filters: { ...filters }, payload: { ...payload }, params });
    const asked: readonly (readonly [object, object, string])[] = [
      [{ id: 'p-1' }, { id: 'p-2', n: 2 }, 'id'],
      [{ id: 'p-1' }, { id: null, n: 2 }, 'id'],
      [{ id: 'p-1' }, { _id: 'b', n: 2 }, '_id'],
      [{ _id: 'a' }, { _id: 'b', n: 2 }, '_id'],
      [{ shop: 'north' }, { _id: 'b', n: 2 }, '_id'],
      [{ shop: 'north' }, { _id: null, n: 2 }, '_id'],
    ];
    for (const [filters, payload, key] of asked) {
      const { code, fields } = await failureOf(() => replace(filters, payload));
      expect([payload, code, fields]).toEqual([payload, 'value_refused', [key]]);
    }
    expect(await stored()).toEqual([before]);
    await replace({ id: 'p-1' }, { _id: 'a', id: 'p-1', shop: 'south' });
    expect(await stored()).toEqual([{ _id: 'a', id: 'p-1', shop: 'south' }]);
    await replace({ shop: 'west' }, { _id: 'w', n: 3 }, { upsert: true });
    expect(await stored({ shop: 'west' })).toEqual([{ _id: 'w', shop: 'west', n: 3 }]);
  });

  test('UPSERT finds by the fields of `conflict`, by `id` when they are not written', async () => {
    const call = { operation: 'UPSERT', words: { conflict: ['email'] } };
    await database.run('create', call, { payload: { email: 'a@b', n: 1 } });
    await database.run('create', call, { payload: { email: 'a@b', n: 2 } });
    await database.run('create', { operation: 'UPSERT' }, { payload: { id: 'k' } });
    expect(await stored()).toEqual([
      { _id: expect.anything(), email: 'a@b', n: 2 },
      { _id: expect.anything(), id: 'k' },
    ]);
    expect((await failureOf(() => database.run('create', call, { payload: { n: 1 } }))).fields).toEqual(['email']);
  });

  test('DELETE takes the first document, DELETE_MANY all; without a filter nothing is changed', async () => {
    await put({ _id: 'a', n: 1 }, { _id: 'b', n: 1 }, { _id: 'c', n: 1 });
    expect(await database.run('delete', {}, { filters: { n: 1 } })).toEqual({ affected: 1 });
    expect(await database.run('delete', { operation: 'DELETE_MANY' }, { filters: { n: 1 } })).toEqual({ affected: 2 });
    for (const operation of ['DELETE', 'DELETE_MANY', 'UPDATE', 'UPDATE_MANY', 'REPLACE']) {
      const failure = await failureOf(() => database.run('update', { operation }, { payload: { n: 2 }, filters: {} }));
      expect([operation, failure.code]).toEqual([operation, 'filter_missing']);
    }
  });

  test.each(['_id', 'id'])(
    'a null in %s finds no document to change, in a filter, a list or an operation',
    async (key) => {
      const documents = [
        { _id: 'a', n: 1 },
        { _id: 'b', n: 1 },
      ];
      await put(...documents);
      const named = { query_filter: { [key]: ':key' }, update: { $set: { n: 2 } } };
      const asked: readonly (readonly [object, CallRequest])[] = [
        [{}, { filters: { [key]: null } }],
        [{}, { filters: { n: 1, [key]: null } }],
        [{}, { filters: { [key]: ['a', null] } }],
        [{ named }, { params: { key: null } }],
      ];
      for (const operation of ['DELETE', 'DELETE_MANY', 'UPDATE', 'UPDATE_MANY', 'REPLACE'])
        for (const [call, request] of asked) {
          const failure = await failureOf(() =>
            database.run('update', { operation, ...call }, { payload: { n: 2 }, ...request }),
          );
          expect([operation, failure.code, failure.fields]).toEqual([operation, 'value_refused', [key]]);
        }
      expect(await stored()).toEqual(documents);
    },
  );

  test.each(['_id', 'id'])('a list of keys in %s is for UPDATE_MANY and DELETE_MANY alone', async (key) => {
    await put({ _id: 'a', id: 'a', n: 1 }, { _id: 'b', id: 'b', n: 1 }, { _id: 'c', id: 'c', n: 1 });
    const list = ['b', 'c'];
    const naming = { made: {}, given: { [key]: list }, isCalled: false };
    for (const address of [{ filters: { [key]: list } }, { naming }])
      for (const operation of ['DELETE', 'UPDATE', 'REPLACE']) {
        const failure = await failureOf(() =>
          database.run('update', { operation }, { payload: { n: 2 }, ...address } as CallRequest),
        );
        expect([operation, failure.code, failure.fields]).toEqual([operation, 'value_refused', [key]]);
      }
    const filters = { [key]: list };
    expect(await database.run('update', { operation: 'UPDATE_MANY' }, { payload: { n: 3 }, filters })).toEqual({
      affected: 2,
    });
    expect((await stored()).map(({ n }) => n)).toEqual([1, 3, 3]);
  });

  test.each([
    [{ $inc: { name: 1 } }, /non-numeric/],
    [{ $push: { name: 1 } }, /must be an array/],
    [{ $set: { 'name.first': 'x' } }, /Cannot create field 'first'/],
    [{ $set: { _id: 'b' } }, /immutable field '_id'/],
  ])(
    '%j, which the types of a document do not allow, is refused by the server and changes nothing',
    async (update, why) => {
      await put({ _id: 'a', name: 'Ann' });
      const call = { written: { update: written(update) } };
      const failure = await failureOf(() =>
        database.run('update', call, { filters: { name: 'Ann' }, words: { update } }),
      );
      expect(failure).toMatchObject({
        code: 'connector_failed',
        retriable: false,
        message: expect.stringMatching(why),
      });
      expect(await stored()).toEqual([{ _id: 'a', name: 'Ann' }]);
    },
  );

  test('a payload without fields is nothing to write, an unknown operation is refused', async () => {
    expect((await failureOf(() => database.run('create', {}, { payload: {} }))).code).toBe('nothing_to_write');
    expect(
      await failureOf(() => database.run('create', { operation: 'PUBLISH' }, { payload: { a: 1 } })),
    ).toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringContaining('"PUBLISH"'),
    });
  });
});

describe('reading', () => {
  beforeEach(() => put({ _id: 1, name: 'c', n: 1 }, { _id: 2, name: 'a', n: 2 }, { _id: 3, name: 'b', n: 3 }));

  test('`limit`, `offset`, `sort` and `fields` choose a part, as params or as declared parameters', async () => {
    const names = async (params: object, call = {}) =>
      (await database.rows(call, { params: { ...params } }))?.map(({ name }) => name);
    expect(await names({ sort: 'name', limit: 2 })).toEqual(['a', 'b']);
    expect(await names({ sort: '-name', offset: '1' })).toEqual(['b', 'a']);
    expect(await names({ limit: 0 })).toEqual([]);
    expect(await database.rows({ operation: 'FIND_ONE' }, { params: { sort: ['n desc'], fields: 'name' } })).toEqual([
      { _id: 3, name: 'b' },
    ]);
    const declared = { parameters: ['sort', 'limit', 'n'] };
    expect(await database.rows(declared, { filters: { sort: '-n', limit: 1, n: [1, 2] } })).toEqual([
      { _id: 2, name: 'a', n: 2 },
    ]);
  });

  test('those in `params` of a step page too; one that is written with an operator finds documents', async () => {
    const step = (params: object) =>
      database.rows({ written: { params: written(params) } }, { filters: { ...params } as CallRequest['filters'] });
    const names = async (params: object) => (await step(params))?.map(({ name }) => name);
    expect(await names({ n: { $gt: 0 }, sort: '-n', limit: 2 })).toEqual(['b', 'a']);
    expect(await names({ sort: 'name', offset: 1 })).toEqual(['b', 'c']);
    expect(await step({ name: 'a', fields: 'n' })).toEqual([{ _id: 2, n: 2 }]);
    expect((await failureOf(() => step({ limit: 'x' }))).fields).toEqual(['limit']);
    await put({ _id: 4, limit: 7, name: 'd' });
    expect(await names({ limit: { $eq: 7 } })).toEqual(['d']);
  });

  test.each([
    ['limit', '-1'],
    ['offset', 'x'],
    ['sort', '$where'],
    ['fields', '$expr'],
  ])('%s of %j is refused by its name', async (word, value) => {
    const { code, fields } = await failureOf(() => database.rows({}, { params: { [word]: value } }));
    expect([code, fields]).toEqual(['value_refused', [word]]);
  });

  test('a pipeline takes its parameters from params, the payload and the filters', async () => {
    const query = '[{"$match": {"n": {"$gt": ":from", "$lt": ":below"}}}, {"$sort": {"n": -1}}, {"$limit": ":most"}]';
    const request = { params: { from: 0 }, payload: { from: 9, below: 3 }, filters: { most: 1 } };
    expect(await database.rows({ query }, request)).toEqual([{ _id: 2, name: 'a', n: 2 }]);
    expect(await failureOf(() => database.rows({ query }, {}))).toMatchObject({
      code: 'connector_failed',
      message: expect.stringContaining(':from'),
    });
  });

  test.each([
    ['SELECT * FROM items', /not a JSON pipeline/],
    ['{"a": 1}', /must be a pipeline/],
    ['[{"a": 1}]', /query\[0\] must be a stage/],
    ['[{"$match": {"$where": "1"}}]', /\$where/],
    ['[{"$changeStream": {}}]', /flow `from`/],
  ])('the query %j is refused', async (query, problem) => {
    const failure = await failureOf(() => database.rows({ query }));
    expect([failure.code, failure.message]).toEqual(['connector_failed', expect.stringMatching(problem)]);
  });

  test('a count of nothing gives nothing; a document has its _id first', async () => {
    const counted = (n: number) => database.rows({ query: `[{"$match": {"n": ${n}}}, {"$count": "found"}]` });
    expect([await counted(1), await counted(9)]).toEqual([[{ found: 1 }], []]);
    await put({ name: 'd', _id: 4 } as object);
    const rows = await database.rows({}, { filters: { _id: 4 } });
    expect(rows?.map((row) => Object.keys(row))).toEqual([['_id', 'name']]);
  });

  test('$out writes what a pipeline gives', async () => {
    await database.run('create', { query: '[{"$match": {"n": 1}}, {"$out": "others"}]' });
    expect(await server.database.collection('others').find().toArray()).toEqual([{ _id: 1, name: 'c', n: 1 }]);
  });

  test('S-49: a message names a collection of the list and no other', async () => {
    const named = (target: string) => database.rows({ target: undefined }, { target });
    expect(await named('items')).toHaveLength(3);
    for (const target of ['secrets', 'system.users', '_svc_resume'])
      expect((await failureOf(() => named(target))).fields).toEqual(['target']);
  });
});

describe('what an operation of the connector writes', () => {
  test('a named operation says what is done, which documents it finds and how they change', async () => {
    const named = {
      query_filter: { n: { $gte: ':from' }, name: ':name' },
      update: { $set: { state: ':state' }, $inc: { seen: 1 } },
    };
    await server.database.collection('marked').insertMany([
      { _id: 1, n: 1, name: 'x' },
      { _id: 2, n: 5, name: 'x' },
      { _id: 3, n: 6, name: 'y' },
    ] as never[]);
    const call = { target: 'marked', operation: 'UPDATE_MANY', named };
    const params = { from: 2, name: 'x', state: 'done' };
    // What a message asks with otherwise is not a filter.
    expect(await database.run('update', call, { params, filters: { id: 7 } })).toMatchObject({ affected: 1 });
    const read = { target: 'marked', operation: 'FIND', named };
    expect(await database.rows(read, { params: { from: 0, name: 'x' } })).toEqual([
      { _id: 1, n: 1, name: 'x' },
      { _id: 2, n: 5, name: 'x', state: 'done', seen: 1 },
    ]);
    const remove = { target: 'marked', operation: 'DELETE_MANY', named };
    expect(await database.run('delete', remove, { filters: { from: 0, name: 'y' } })).toMatchObject({ affected: 1 });
    expect((await failureOf(() => database.rows(read, { params: { from: 0 } }))).message).toContain(':name');
    const hostile = () => database.rows(read, { params: { from: 0, name: { $ne: null } } });
    expect((await failureOf(hostile)).code).toBe('value_refused');
  });
});

describe('how much one read answers', () => {
  test('a read that finds more documents or bytes than one may answer fails, and names the attribute', async () => {
    await server.database
      .collection('many')
      .insertMany(Array.from({ length: 12 }, (_, n) => ({ n, text: 'x'.repeat(100) })));
    const many = { target: 'many', parameters: ['limit', 'offset', 'sort'] };
    const few = await openDatabase(server, { max_rows: 10 });
    const found = (params: object) => few.rows(many, { params: { sort: 'n', ...params } });
    expect(await failureOf(() => found({}))).toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringMatching(/more than 10 documents.*`max_rows`/),
    });
    expect(await failureOf(() => few.rows({ target: 'many', query: '[]' }))).toMatchObject({
      message: expect.stringMatching(/more than 10 documents/),
    });
    expect((await found({ limit: 10 }))?.length).toBe(10);
    expect((await found({ limit: 10, offset: 10 }))?.map(({ n }) => n)).toEqual([10, 11]);
    expect(await failureOf(() => found({ limit: 11 }))).toMatchObject({ code: 'value_refused', fields: ['limit'] });
    const small = await openDatabase(server, { max_response: 700 });
    expect(await failureOf(() => small.rows({ target: 'many' }))).toMatchObject({
      message: expect.stringMatching(/more than 700 bytes.*`max_response`/),
    });
    expect(await small.rows({ ...many, operation: 'FIND_ONE' })).toHaveLength(1);
    await Promise.all([few.connector.close(), small.connector.close()]);
  });
});
