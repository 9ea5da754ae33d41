import { CelTimestamp } from '@svc/protocol/cel';
import { Binary, Decimal128, Double, Int32, Long, ObjectId, Timestamp, UUID } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CallRequest } from '../../../foundation/contracts/target.ts';
import { failureOf } from '../testing/parts.ts';
import { evaluated, type OpenedDatabase, openDatabase, written } from './testing/opened.ts';
import { type TestServer, testServer } from './testing/server.ts';

let server: TestServer;
let database: OpenedDatabase;
beforeAll(async () => {
  server = await testServer();
  database = await openDatabase(server);
});
afterAll(async () => {
  await database.connector.close();
  await server.stop();
});
beforeEach(() => server.database.collection('items').deleteMany({}));

const stored = (filter: object = {}) => server.database.collection('items').find(filter).toArray();
const put = (...documents: object[]) => server.database.collection('items').insertMany(documents);

/** Reads with a filter of the configuration. */
function filtered(filter: Readonly<Record<string, unknown>>, input: Readonly<Record<string, unknown>>) {
  const request: CallRequest = { filters: evaluated(filter, input) as Record<string, unknown> };
  return database.rows({ written: { query_filter: written(filter) } }, request);
}

describe('values', () => {
  test('every kind is read as flows know it, and none makes a read fail', async () => {
    await put({
      _id: new ObjectId('65a000000000000000000001'),
      at: new Date('2026-01-02T03:04:05.120Z'),
      price: Decimal128.fromString('12.50'),
      big: Long.fromString('9007199254740993'),
      ratio: 0.5,
      bytes: new Binary(Buffer.from([0xff, 0])),
      uuid: new UUID('7a2cf5b8-0f3a-4b6a-9c1e-1d2f3a4b5c6d'),
      nested: { list: [{ owner: new ObjectId('65a000000000000000000002') }], none: null },
      pattern: /^a/i,
      clock: new Timestamp({ t: 1_700_000_000, i: 1 }),
      never: new Date(Number.NaN),
    });
    expect(await database.rows({})).toEqual([
      {
        _id: '65a000000000000000000001',
        at: '2026-01-02T03:04:05.12Z',
        price: '12.50',
        big: 9007199254740993n,
        ratio: 0.5,
        bytes: '/wA=',
        uuid: '7a2cf5b8-0f3a-4b6a-9c1e-1d2f3a4b5c6d',
        nested: { list: [{ owner: '65a000000000000000000002' }], none: null },
        pattern: '/^a/i',
        clock: '2023-11-14T22:13:20Z',
        never: expect.toBeOneOf([null, '1970-01-01T00:00:00Z']),
      },
    ]);
  });

  test('integers are bigint where expressions read them, and keep 64 bits on their way in', async () => {
    await database.run('create', {}, { payload: { _id: 'a', small: 5n, whole: 7, large: 2n ** 62n, above: 2 ** 40 } });
    const [row] = (await database.rows({ exact: true })) ?? [];
    expect(row).toEqual({ _id: 'a', small: 5n, whole: 7, large: 2n ** 62n, above: 2 ** 40 });
    const failure = await failureOf(() => database.run('create', {}, { payload: { n: { m: [2n ** 64n] } } }));
    expect([failure.code, failure.fields]).toEqual(['value_refused', ['n.m[0]']]);
  });

  test('timestamps are dates, bytes binary, and texts stay texts', async () => {
    const at = CelTimestamp.parse('2026-01-02T03:04:05.123Z');
    const payload = { _id: 'a', at, bytes: Uint8Array.of(1, 2), text: '2026-01-02T03:04:05Z', left: undefined };
    await database.run('create', {}, { payload });
    const [document] = await stored();
    expect([document?.['at'], document?.['text'], Object.keys(document ?? {})]).toEqual([
      new Date('2026-01-02T03:04:05.123Z'),
      '2026-01-02T03:04:05Z',
      ['_id', 'at', 'bytes', 'text'],
    ]);
    expect(document?.['bytes']).toEqual(new Binary(Buffer.from([1, 2])));
  });

  test('a text of 24 hexadecimal digits under `_id` or `id` is an ObjectId, also in nested objects; others stay', async () => {
    const id = '65a0000000000000000000aa';
    const answer = await database.run('create', {}, { payload: { id, owner: { _id: id }, list: [id], ref: id } });
    expect(answer).toEqual({ affected: 1, id });
    expect(await stored()).toEqual([{ _id: new ObjectId(id), owner: { _id: new ObjectId(id) }, list: [id], ref: id }]);
    expect(await database.rows({}, { filters: { id } })).toHaveLength(1);
    await database.run('create', {}, { payload: { id: 'k-1' } });
    expect(await database.rows({}, { filters: { id: 'k-1' } })).toEqual([{ _id: expect.any(String), id: 'k-1' }]);
  });
});

describe('S-50: what comes in values is data', () => {
  beforeEach(() => put({ _id: 'a', user: 'ann', password: 'secret', age: 30 }));

  const operators: readonly unknown[] = [
    { $ne: null },
    { $gt: '' },
    { $where: 'true' },
    { nested: { $function: { body: 'x' } } },
    [{ $ne: 1 }],
    { _bsontype: 'ObjectId' },
  ];
  test.each(operators)('%j is refused in a filter, a payload and a parameter, with its field', async (value) => {
    const calls = [
      () => database.rows({}, { filters: { password: value } }),
      () => filtered({ password: 'input.password' }, { password: value }),
      () => filtered({ password: { $eq: 'input.password' } }, { password: value }),
      () => database.run('create', {}, { payload: { password: value } }),
      () => database.run('update', {}, { filters: { _id: 'a' }, payload: { password: value } }),
      () => database.run('delete', {}, { filters: { password: value } }),
      () => database.rows({ query: '[{"$match": {"password": ":p"}}]' }, { params: { p: value } }),
    ];
    for (const call of calls) {
      const { code, fields } = await failureOf(call);
      expect([code, fields[0]]).toEqual(['value_refused', expect.stringMatching(/^password/)]);
    }
    expect(await stored()).toEqual([{ _id: 'a', user: 'ann', password: 'secret', age: 30 }]);
  });

  test.each(['$or', '$where', 'a.b', ''])('a field that a message names %j is refused', async (name) => {
    const calls = [
      () => database.rows({}, { filters: { [name]: 'x' } }),
      () => database.run('update', {}, { filters: { _id: 'a' }, payload: { [name]: 'x' } }),
    ];
    for (const call of calls) expect((await failureOf(call)).code).toBe('value_refused');
  });

  test('an object of a message is compared as a whole, a list finds any of its elements, null a missing field', async () => {
    await put({ _id: 'b', at: { x: 1 }, age: 31 }, { _id: 'c', at: { x: 1, y: 2 }, age: 32 });
    const ids = async (filters: object) =>
      (await database.rows({}, { filters: { ...filters } }))?.map(({ _id }) => _id);
    expect(await ids({ at: { x: 1 } })).toEqual(['b']);
    expect(await ids({ age: [30, 32] })).toEqual(['a', 'c']);
    expect(await ids({ at: null })).toEqual(['a']);
  });

  test('operators of the configuration work, with values of the message', async () => {
    await put({ _id: 'b', user: 'bob', age: 40, tags: ['x'] });
    const ids = async (filter: Readonly<Record<string, unknown>>, input: Readonly<Record<string, unknown>>) =>
      (await filtered(filter, input))?.map(({ _id }) => _id);
    expect(await ids({ age: { $gte: 'input.from', $lt: 100 } }, { from: 35 })).toEqual(['b']);
    expect(await ids({ $or: [{ user: 'input.user' }, { age: 40 }] }, { user: 'ann' })).toEqual(['a', 'b']);
    expect(await ids({ _id: { $in: 'input.ids' } }, { ids: ['b'] })).toEqual(['b']);
    expect(await ids({ tags: 'x', age: 'input.age' }, { age: 40 })).toEqual(['b']);
    expect(await ids({ $expr: { $eq: ['$user', 'input.user'] } }, { user: '$user' })).toEqual([]);
    expect(await ids({ $expr: { $eq: ['$user', 'input.user'] } }, { user: 'bob' })).toEqual(['b']);
  });

  test('an object of a message becomes part neither of a schema nor of what a text is searched by', async () => {
    for (const filter of [
      { $jsonSchema: { properties: 'input.it' } },
      { $jsonSchema: { required: ['user'], properties: { user: 'input.it' } } },
      { $text: { $search: 'input.it' } },
    ])
      for (const it of [{ password: { enum: ['secret'] } }, [{ type: 'string' }]]) {
        const { code, message } = await failureOf(() => filtered(filter, { it }));
        expect([code, message]).toEqual(['value_refused', expect.stringContaining('would be a part of the query')]);
      }
  });

  test('an object of a message is removed from a list where an element equals it, and `{}` removes no other', async () => {
    const lines = [{ sku: 1, count: 2 }, { sku: 1 }, { sku: 3 }];
    await put({ _id: 'l', lines });
    const pull = async (update: Readonly<Record<string, unknown>>, input: Readonly<Record<string, unknown>>) => {
      const words = { update: evaluated(update, input) as Record<string, unknown> };
      await database.run('update', { written: { update: written(update) } }, { filters: { _id: 'l' }, words });
      return (await stored({ _id: 'l' }))[0]?.['lines'];
    };
    expect(await pull({ $pull: { lines: 'input.it' } }, { it: {} })).toEqual(lines);
    expect(await pull({ $pull: 'input.it' }, { it: { lines: {} } })).toEqual(lines);
    expect(await pull({ $pull: { lines: 'input.it' } }, { it: { sku: 1 } })).toEqual([lines[0], lines[2]]);
    // A condition that the configuration writes is one.
    expect(await pull({ $pull: { lines: { sku: 'input.sku' } } }, { sku: 1 })).toEqual([lines[2]]);
  });

  test.each(['$where', '$function'])(
    '%s of the configuration runs code on the server, and is not sent',
    async (name) => {
      const filter = { [name]: 'input.code' };
      const failure = await failureOf(() => filtered(filter, { code: 'true' }));
      expect([failure.code, failure.message]).toEqual(['connector_failed', expect.stringContaining(name)]);
    },
  );

  test('in a pipeline a parameter is data in filters and in expressions', async () => {
    const query =
      '[{"$match": {"age": {"$gte": ":from"}}}, {"$project": {"_id": 0, "shown": {"$concat": [":text", "!"]}}}]';
    expect(await database.rows({ query }, { params: { from: 20, text: '$password' } })).toEqual([
      { shown: '$password!' },
    ]);
  });
});

test('a document that is larger than any may be is refused, and nothing is written', async () => {
  for (const length of [16 * 1024 * 1024 + 1_000, 16 * 1024 * 1024 + 100_000, 18 * 1024 * 1024]) {
    const payload = { _id: 'large', text: 'x'.repeat(length) };
    const many = { params: { documents: [{ _id: 'small' }, payload] } };
    for (const [verb, call, request] of [
      ['create', {}, { payload }],
      ['create', { operation: 'INSERT_MANY' }, many],
      [
        'update',
        { operation: 'REPLACE' },
        { filters: { _id: 'large' }, payload: { text: payload.text }, params: { upsert: true } },
      ],
    ] as const) {
      const { code, fields } = await failureOf(() => database.run(verb, call, request));
      expect([length, call, code, fields]).toEqual([length, call, 'value_refused', ['document']]);
    }
    expect(await stored({ _id: 'large' } as object)).toEqual([]);
  }
});

describe('types of numbers', () => {
  const typed = () => server.database.collection('items').find({}, { promoteValues: false }).toArray();
  const numbers = { a: 1n, b: 1, c: 1.5, d: 2n ** 40n, e: 2 ** 40, f: { g: [2, 2n] }, h: -0 };
  const stored = {
    a: new Int32(1),
    b: new Double(1),
    c: new Double(1.5),
    d: Long.fromNumber(2 ** 40),
    e: new Double(2 ** 40),
    f: { g: [new Double(2), new Int32(2)] },
    h: new Double(-0),
  };

  test('an int is an integer of 32 or 64 bits, and a double is one also without a fraction', async () => {
    await database.run('create', {}, { payload: { _id: 'n', ...numbers } });
    expect(await typed()).toEqual([{ _id: 'n', ...stored }]);
    await database.run('update', {}, { filters: { _id: 'n' }, payload: { a: 1, b: 1n } });
    expect(await typed()).toEqual([{ _id: 'n', ...stored, a: new Double(1), b: new Int32(1) }]);
    await database.run('update', { operation: 'REPLACE' }, { filters: { _id: 'n' }, payload: numbers });
    expect(await typed()).toEqual([{ _id: 'n', ...stored }]);
  });

  test('of what is found and not there, the number by which it is made keeps its type', async () => {
    const upsert = { params: { upsert: true } };
    await database.run('update', { operation: 'REPLACE' }, { filters: { k: 5 }, payload: { n: 1 }, ...upsert });
    await database.run('update', {}, { filters: { k: 6n }, payload: { n: 2 }, ...upsert });
    await database.run('update', { operation: 'UPSERT' }, { payload: { id: 7, n: 3n } });
    const numbersOf = (await typed()).map(({ k, id, n }) => [k ?? id, n]);
    expect(numbersOf).toEqual([
      [new Double(5), new Double(1)],
      [new Int32(6), new Double(2)],
      [new Double(7), new Int32(3)],
    ]);
  });

  test('what expressions read is written as it was', async () => {
    await put({ _id: 'n', ...stored });
    const [row = {}] = (await database.rows({ exact: true })) ?? [];
    expect(row).toEqual({ _id: 'n', ...numbers });
    await database.run('create', { target: 'copies' }, { payload: row });
    const copies = await server.database.collection('copies').find({}, { promoteValues: false }).toArray();
    expect(copies).toEqual([{ _id: 'n', ...stored }]);
  });

  test('whole numbers of the configuration are integers', async () => {
    await put({ _id: 'n', a: 1, b: 1, c: 1 });
    const update = { $inc: { a: 2 }, $set: { b: 3, list: [1, 1.5] }, $mul: { c: 'input.n' } };
    const words = { update: evaluated(update, { n: 4 }) as Record<string, unknown> };
    await database.run('update', { written: { update: written(update) } }, { filters: { _id: 'n' }, words });
    const list = [new Int32(1), new Double(1.5)];
    expect(await typed()).toEqual([{ _id: 'n', a: new Int32(3), b: new Int32(3), c: new Double(4), list }]);
    const params = { _id: 'p', n: 5 };
    await database.run('create', { written: { params: written(params) } }, { payload: params });
    expect((await typed())[1]).toEqual({ _id: 'p', n: new Int32(5) });
  });
});
