import { Decimal128, type Document } from 'mongodb';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { onEachServer, type TestServer } from './server.ts';

/** What FerretDB 1.24 does in another way, or has not. */
const lacking = [
  'a decimal',
  'a document of more than 16 MiB',
  'an update that makes a document of more than 16 MiB',
  'an unordered insert that continues',
  'an id with an operator',
  'a path with an operator',
  'a path with an empty part',
  'an empty path',
  'an operator beside fields',
  'fields beside an operator',
  'a filter of lists that is missing',
  'a filter of lists that is not used',
  'elements that a filter chooses',
  'an unknown stage',
  'operators beside fields in a condition',
  'a key that another document has, by an update',
  'equalities below $and',
  'a pipeline as an update',
  'a lookup',
  'a collection that a pipeline writes',
  'a transaction',
  'changes',
];

const big = 'x'.repeat(16 * 1024 * 1024 + 100_000);

/** What a server refuses: the stand-in has to refuse it as MongoDB does. */
onEachServer(lacking, ({ name, lacks, start }) => {
  describe(`a server of documents (${name})`, () => {
    let server: TestServer;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());
    const items = () => server.database.collection<Document>('items');
    beforeEach(async () => {
      await items().deleteMany({});
      await items().insertOne({ _id: 1, n: 1, text: 'x', list: [1, 2, 3] } as Document);
    });

    /** The code of the error, and `done` without one. */
    const codeOf = async (work: () => Promise<unknown>): Promise<unknown> => {
      try {
        await work();
        return 'done';
      } catch (error) {
        return (error as { readonly code?: unknown }).code;
      }
    };
    const command = (fields: Document) => async () => {
      const { writeErrors } = await server.database.command(fields);
      if (writeErrors !== undefined) throw writeErrors[0];
    };
    const updated = (u: Document, more: Document = {}, q: Document = { _id: 1 }) =>
      command({ update: 'items', updates: [{ q, u, ...more }] });
    const found = (filter: Document, more: Document = {}) => command({ find: 'items', filter, ...more });
    const piped = (...pipeline: Document[]) => command({ aggregate: 'items', pipeline, cursor: {} });
    const inserted = (...documents: Document[]) => command({ insert: 'items', documents });
    const one = async (filter: Document = { _id: 1 }) => items().findOne(filter);

    const refusals: readonly (readonly [string, unknown, () => () => Promise<unknown>])[] = [
      ['an id that is there', 11_000, () => inserted({ _id: 1 })],
      ['a list as an id', 53, () => inserted({ _id: [1] })],
      ['an id with an operator', 52, () => inserted({ _id: { $a: 1 } })],
      ['a document of more than 16 MiB', 10_334, () => inserted({ _id: 2, big })],
      [
        'an update that makes a document of more than 16 MiB',
        17_419,
        () => async () => {
          const half = big.slice(0, 9 * 1024 * 1024);
          await inserted({ _id: 2, half })();
          await updated({ $set: { other: half } }, {}, { _id: 2 })();
        },
      ],
      ['another id by $set', 66, () => updated({ $set: { _id: 2 } })],
      ['another id by a replacement', 66, () => updated({ _id: 2, n: 1 })],
      ['an unknown operator', 9, () => updated({ $sets: { n: 1 } })],
      ['fields beside an operator', 9, () => updated({ $set: { n: 1 }, n: 2 })],
      ['an operator beside fields', 52, () => updated({ n: 2, $set: { n: 1 } })],
      ['a replacement of many', 9, () => updated({ n: 2 }, { multi: true })],
      ['one path twice', 40, () => updated({ $set: { n: 1 }, $inc: { n: 1 } })],
      ['a path and one below it', 40, () => updated({ $set: { m: 1, 'm.o': 1 } })],
      ['an empty path', 56, () => updated({ $set: { '': 1 } })],
      ['a path with an empty part', 56, () => updated({ $set: { 'a..b': 1 } })],
      ['a path with an operator', 52, () => updated({ $set: { 'a.$b': 1 } })],
      ['a sum of a text', 14, () => updated({ $inc: { text: 1 } })],
      ['an element of no list', 2, () => updated({ $push: { n: 1 } })],
      ['a path below a text', 28, () => updated({ $set: { 'text.a': 1 } })],
      ['a filter of lists that is missing', 2, () => updated({ $set: { 'list.$[e]': 1 } })],
      ['a filter of lists that is not used', 9, () => updated({ $set: { n: 2 } }, { arrayFilters: [{ e: 1 }] })],
      ['an unknown operator of a filter', 2, () => found({ n: { $gtt: 1 } })],
      ['an unknown operator at the top', 2, () => found({ $like: 1 })],
      ['operators beside fields in a condition', 2, () => found({ n: { $gt: 0, m: 1 } })],
      ['no list for $in', 2, () => found({ n: { $in: 1 } })],
      ['an empty $and', 2, () => found({ $and: [] })],
      ['no list for $and', 2, () => found({ $and: { n: 1 } })],
      ['a value for $not', 2, () => found({ n: { $not: 1 } })],
      ['a text for $size', 2, () => found({ n: { $size: 'x' } })],
      ['half of a $mod', 2, () => found({ n: { $mod: [1] } })],
      ['a value for $elemMatch', 2, () => found({ n: { $elemMatch: 1 } })],
      ['an unknown $type', 2, () => found({ n: { $type: 'texts' } })],
      ['a malformed pattern', 51_091, () => found({ text: { $regex: '(' } })],
      ['a negative limit', 51_024, () => found({}, { limit: -1 })],
      ['a negative skip', 51_024, () => found({}, { skip: -1 })],
      ['fields kept and left out', 31_254, () => found({}, { projection: { n: 1, text: 0 } })],
      ['an unknown stage', 40_324, () => piped({ $like: {} })],
      ['two operators in a stage', 40_323, () => piped({ $match: {}, $limit: 1 })],
      ['a limit of 0 in a pipeline', 15_958, () => piped({ $limit: 0 })],
      ['groups without an id', 15_955, () => piped({ $group: { n: { $sum: 1 } } })],
      ['a name that no collection has', 73, () => command({ insert: 'a$b', documents: [{ n: 1 }] })],
    ];
    for (const [of, code, work] of refusals)
      test.skipIf(lacks.includes(of))(`refuses ${of}`, async () => {
        expect(await codeOf(work())).toBe(code);
        expect(await one()).toEqual({ _id: 1, n: 1, text: 'x', list: [1, 2, 3] });
      });

    test.skipIf(lacks.includes('a decimal'))('keeps a decimal', async () => {
      await items().insertOne({ _id: 2, price: Decimal128.fromString('1.50') } as Document);
      expect(String((await one({ _id: 2 }))?.['price'])).toBe('1.50');
    });

    test('refuses a key that another document has, by an insert', async () => {
      await server.database.createIndex('unique', { key: 1 }, { unique: true });
      const keys = server.database.collection('unique');
      await keys.insertOne({ key: 1 });
      expect(await codeOf(() => keys.insertOne({ key: 1 }))).toBe(11_000);
      await keys.insertOne({ key: 2 });
      if (lacks.includes('a key that another document has, by an update')) return;
      expect(await codeOf(() => keys.updateOne({ key: 2 }, { $set: { key: 1 } }))).toBe(11_000);
    });

    test.skipIf(lacks.includes('an unordered insert that continues'))(
      'inserts what it can where that is asked',
      async () => {
        const documents = [{ _id: 1 }, { _id: 2 }, { _id: 1 }, { _id: 3 }] as Document[];
        expect(await codeOf(() => items().insertMany(documents, { ordered: false }))).toBe(11_000);
        expect((await items().find().toArray()).map(({ _id }) => _id)).toEqual([1, 2, 3]);
      },
    );

    test.skipIf(lacks.includes('elements that a filter chooses'))(
      'changes elements that a filter chooses',
      async () => {
        await items().updateOne({ _id: 1 } as Document, { $set: { 'list.$[e]': 9 } }, { arrayFilters: [{ e: 2 }] });
        expect((await one())?.['list']).toEqual([1, 9, 3]);
      },
    );

    test('makes what an upsert does not find of its equalities and its update', async () => {
      await items().updateOne({ k: 1, 'p.q': 2, r: { $gt: 3 } }, { $set: { z: 4 } }, { upsert: true });
      const { _id, ...made } = (await one({ k: 1 })) ?? {};
      expect(made).toEqual({ k: 1, p: { q: 2 }, z: 4 });
      await items().replaceOne({ _id: 8, k: 2 } as Document, { z: 5 }, { upsert: true });
      expect(await one({ _id: 8 })).toEqual({ _id: 8, z: 5 });
      expect(await items().findOneAndReplace({ _id: 9 } as Document, { z: 6 }, { upsert: true })).toBe(null);
      expect(await one({ _id: 9 })).toEqual({ _id: 9, z: 6 });
      if (lacks.includes('equalities below $and')) return;
      await items().updateOne({ $and: [{ a: 1 }, { $or: [{ b: 2 }] }] }, { $set: { z: 7 } }, { upsert: true });
      expect(await one({ z: 7 })).toMatchObject({ a: 1, b: 2 });
    });

    test.skipIf(lacks.includes('a transaction'))('does a transaction as a whole', async () => {
      const { client } = server.database;
      await client.withSession(async (session) => {
        session.startTransaction();
        await items().insertOne({ _id: 2 } as Document, { session });
        expect(await one({ _id: 2 })).toBe(null);
        await session.commitTransaction();
      });
      expect(await one({ _id: 2 })).toEqual({ _id: 2 });
    });

    test.skipIf(lacks.includes('changes'))('tells its changes', async () => {
      const stream = items().watch();
      const change = stream.next();
      await stream.tryNext().catch(() => undefined);
      await items().insertOne({ _id: 3 } as Document);
      expect(await change).toMatchObject({ operationType: 'insert', documentKey: { _id: 3 } });
      await stream.close();
    });

    test.skipIf(lacks.includes('a pipeline as an update'))('changes by a pipeline', async () => {
      await items().updateOne({ _id: 1 } as Document, [{ $set: { n: { $add: ['$n', 1] } } }]);
      expect((await one())?.['n']).toBe(2);
    });

    test.skipIf(lacks.includes('a lookup'))('looks up documents of another collection', async () => {
      const lookup = { from: 'items', localField: 'n', foreignField: '_id', as: 'others' };
      const [document] = await items()
        .aggregate([{ $lookup: lookup }])
        .toArray();
      expect(document?.['others']).toHaveLength(1);
    });

    test.skipIf(lacks.includes('a collection that a pipeline writes'))(
      'writes a collection by a pipeline',
      async () => {
        await items()
          .aggregate([{ $match: {} }, { $out: 'copies' }])
          .toArray();
        expect(await server.database.collection('copies').countDocuments({})).toBe(1);
      },
    );
  });
});
