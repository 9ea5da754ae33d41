import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { MongodbStandIn } from '../../../../../test/support/servers/mongodb/stand-in.ts';
import { until } from '../../../../../test/support/until.ts';
import { problemsOf } from '../../../checks/rules/testing/problems.ts';
import type { StatementRunner } from '../../../foundation/contracts/sql.ts';
import { failureOf } from '../testing/parts.ts';
import { type OpenedDatabase, openDatabase } from './testing/opened.ts';
import { type TestServer, testServer } from './testing/server.ts';

let server: TestServer;
let database: OpenedDatabase;
beforeAll(async () => {
  server = await testServer();
  database = await openDatabase(server, { statement_timeout: 3_000, pool: { max: 4, min: 0, connect_timeout: 5_000 } });
});
afterAll(async () => {
  await database.connector.close();
  await server.stop();
});
beforeEach(async () => {
  for (const name of ['orders', 'stock']) await server.database.collection(name).deleteMany({});
  await server.database
    .collection<{ _id: string }>('stock')
    .insertMany([{ _id: 'a', left: 5 } as never, { _id: 'b', left: 1 } as never]);
});
afterEach(() => server.fail('off'));

const insert = '{"insert": "orders", "documents": [{"customer": ":customer", "at": "today"}]}';
const take =
  '{"update": "stock", "updates": [{"q": {"_id": ":sku", "left": {"$gte": ":n"}}, "u": {"$inc": {"left": ":minus"}}}]}';
const stock = async () =>
  Object.fromEntries((await server.database.collection('stock').find().toArray()).map(({ _id, left }) => [_id, left]));
const orders = () => server.database.collection('orders').find().toArray();

function run<T>(work: (statements: StatementRunner) => Promise<T>, signal?: AbortSignal, on = database): Promise<T> {
  const { transactions } = on.connector.target;
  if (transactions === undefined) throw new Error('it has no transactions');
  return transactions.run(work, signal);
}

describe('a transaction', () => {
  test('commits all statements, and answers keys, counts and rows', async () => {
    const answers = await run(async (statements) => [
      await statements.execute(insert, { customer: 'ann' }),
      await statements.execute(take, { sku: 'a', n: 2n, minus: -2n }),
      await statements.execute('{"find": "stock", "filter": {"_id": ":sku"}, "projection": {"_id": 0, "left": 1}}', {
        sku: 'a',
      }),
      await statements.execute(
        '{"aggregate": "stock", "pipeline": [{"$match": {"left": {"$lt": ":n"}}}, {"$count": "n"}]}',
        {
          n: 4n,
        },
      ),
      await statements.execute('{"delete": "stock", "deletes": [{"q": {"_id": ":sku"}, "limit": 1}]}', { sku: 'b' }),
    ]);
    const [order] = await orders();
    expect(answers).toEqual([
      { affected: 1, id: String(order?._id) },
      { affected: 1 },
      { rows: [{ left: 3n }] },
      { rows: [{ n: 2n }] },
      { affected: 1 },
    ]);
    expect(order).toEqual({ _id: expect.any(ObjectId), customer: 'ann', at: 'today' });
    expect(await stock()).toEqual({ a: 3 });
  });

  test('R-93: a statement that fails rolls everything back, and so does what runs between them', async () => {
    const fails = (last: (statements: StatementRunner) => unknown) =>
      failureOf(() =>
        run(async (statements) => {
          await statements.execute(insert, { customer: 'ann' });
          await statements.execute(take, { sku: 'a', n: 1n, minus: -1n });
          await last(statements);
        }),
      );
    const duplicate = '{"insert": "stock", "documents": [{"_id": ":sku"}]}';
    expect(await fails((statements) => statements.execute(duplicate, { sku: 'a' }))).toMatchObject({
      code: 'constraint_violated',
    });
    await expect(
      run(async (statements) => {
        await statements.execute(insert, { customer: 'ann' });
        throw new Error('an expression');
      }),
    ).rejects.toThrow('an expression');
    expect([await orders(), await stock()]).toEqual([[], { a: 5, b: 1 }]);
  });

  test('a conflict with another one may be tried again, and nothing of it happened', async () => {
    const failure = await failureOf(() =>
      run(async (statements) => {
        await statements.execute(take, { sku: 'a', n: 1n, minus: -1n });
        await run((others) => Promise.resolve(others.execute(take, { sku: 'a', n: 1n, minus: -2n })));
      }),
    );
    expect(failure).toMatchObject({ code: 'connector_failed', retriable: true });
    expect([3, 4]).toContain((await stock())['a']);
  });

  test.each([
    ['a server that is not the primary', 10_107, [], 'connector_refused', true],
    ['a conflict', 112, ['TransientTransactionError'], 'connector_failed', true],
    ['a right that is missing', 13, [], 'connector_failed', false],
  ])('%s in a statement is %4$s', async (_, errorCode, errorLabels, code, retriable) => {
    await server.fail('alwaysOn', { failCommands: ['insert'], errorCode, errorLabels });
    const failure = await failureOf(() => run(async (statements) => statements.execute(insert, { customer: 'ann' })));
    expect(failure).toMatchObject({ code, retriable });
    expect(await orders()).toEqual([]);
  });

  test('R-93, A-10: a lost COMMIT is unknown; one that the server refused is not', async () => {
    const work = async (statements: StatementRunner) => statements.execute(insert, { customer: 'ann' });
    await server.fail('alwaysOn', { failCommands: ['commitTransaction'], closeConnection: true });
    expect(await failureOf(() => run(work))).toMatchObject({ code: 'outcome_unknown' });
    await server.fail('alwaysOn', { failCommands: ['commitTransaction'], blockConnection: true, blockTimeMS: 60_000 });
    const hasty = await openDatabase(server, { statement_timeout: 300 });
    expect(await failureOf(() => run(work, undefined, hasty))).toMatchObject({ code: 'outcome_unknown' });
    await server.fail('alwaysOn', {
      failCommands: ['commitTransaction'],
      errorCode: 251,
      errorLabels: ['TransientTransactionError'],
    });
    expect(await failureOf(() => run(work))).toMatchObject({ code: 'connector_failed', retriable: true });
    // A commit whose answer was lost once is asked for again, which does nothing twice.
    await server.fail({ times: 1 }, { failCommands: ['commitTransaction'], closeConnection: true });
    await run(work);
    await server.fail('off');
    expect((await orders()).map(({ customer }) => customer)).toEqual(['ann']);
    await hasty.connector.close(AbortSignal.abort());
  });

  test('a statement has the time of an operation; a caller that goes ends it; the place is free again', async () => {
    await server.fail('alwaysOn', { failCommands: ['insert'], blockConnection: true, blockTimeMS: 60_000 });
    const hasty = await openDatabase(server, {
      statement_timeout: 300,
      pool: { max: 1, min: 0, connect_timeout: 5_000 },
    });
    const work = async (statements: StatementRunner) => statements.execute(insert, { customer: 'ann' });
    expect(await failureOf(() => run(work, undefined, hasty))).toMatchObject({ code: 'connector_timeout' });
    await server.fail('alwaysOn', { failCommands: ['insert'], blockConnection: true, blockTimeMS: 60_000 });
    const gone = new AbortController();
    const cut = failureOf(() => run(work, gone.signal));
    await until(async () => (await server.running('insert')) > 0);
    gone.abort();
    expect(await cut).toMatchObject({ code: 'cancelled' });
    await server.fail('off');
    await run(work, undefined, hasty);
    expect(await orders()).toHaveLength(1);
    await hasty.connector.close();
  });

  test('a close waits for one that is under way, and ends it when its time is over', async () => {
    const own = await openDatabase(server);
    const { promise, resolve } = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    const running = run(
      async (statements) => {
        await statements.execute(insert, { customer: 'ann' });
        begun.resolve();
        await promise;
        return statements.execute(insert, { customer: 'bob' });
      },
      undefined,
      own,
    );
    await begun.promise;
    const closing = own.connector.close();
    resolve();
    await Promise.all([running, closing]);
    expect((await orders()).map(({ customer }) => customer)).toEqual(['ann', 'bob']);
  });

  test('a server that is not a replica set refuses it by name', async () => {
    const standalone = await MongodbStandIn.start({ isReplicaSet: false });
    const own = await openDatabase({ ...server, host: '127.0.0.1', port: standalone.port, credentials: '' });
    const failure = await failureOf(() =>
      run(async (statements) => statements.execute(insert, { customer: 'ann' }), undefined, own),
    );
    expect(failure).toMatchObject({
      code: 'connector_failed',
      retriable: false,
      message: expect.stringMatching(/is neither in a replica set nor a router to one, and has no transactions$/),
    });
    await own.connector.close();
    await standalone.stop();
  });

  test('S-50: values are data, and no filter of a message is empty', async () => {
    const refuse = (query: string, params: object) =>
      failureOf(() => run(async (statements) => statements.execute(query, { ...params })));
    const hostile = { $ne: null };
    const calls: readonly (readonly [string, object])[] = [
      [insert, { customer: hostile }],
      ['{"insert": "orders", "documents": ":all"}', { all: [{ a: hostile }] }],
      [take, { sku: hostile, n: 1n, minus: 1n }],
      ['{"find": "stock", "filter": {"_id": ":id"}}', { id: hostile }],
      ['{"find": "stock", "filter": ":filter"}', { filter: { $where: '1' } }],
    ];
    for (const [query, params] of calls) expect((await refuse(query, params)).code).toBe('value_refused');
    const all = '{"delete": "stock", "deletes": [{"q": ":filter", "limit": 0}]}';
    expect((await refuse(all, { filter: {} })).code).toBe('filter_missing');
    expect(await stock()).toEqual({ a: 5, b: 1 });
    // A text that looks like a parameter is a text.
    await run(async (statements) => statements.execute(insert, { customer: ':sku' }));
    expect((await orders())[0]?.['customer']).toBe(':sku');
  });
});

describe('what `svc validate` says of statements', () => {
  const flow = (query: string, params = '') => `
connector "api" {
  type = "rest"
  port = 3000
}
connector "shop" {
  type     = "database"
  driver   = "mongodb"
  uri      = "mongodb://h"
  database = "shop"
}
flow "f" {
  from {
    connector = "api"
    operation = "POST /x"
  }
  to {
    connector = "shop"
    transaction {
      exec {
        query = ${JSON.stringify(query)}
        ${params}
      }
    }
  }
}`;
  const problems = (query: string, params?: string) =>
    problemsOf(flow(query, params))
      .filter((each) => !/^(?:info|warning)/.test(each))
      .map((each) => each.split(' ')[0]);

  test.each([
    ['{"insert": "orders", "documents": ":all"}', 'params = { all = "input.all" }'],
    [take, 'params = { sku = "input.sku", n = "1", minus = "-1" }'],
    ['{"delete": "orders", "deletes": [{"q": {}, "limit": 0}]}', ''],
    ['{"find": "orders", "filter": {"a": 1}, "sort": {"a": -1}, "limit": 5}', ''],
    ['{"aggregate": "orders", "pipeline": [{"$match": {"a": 1}}]}', ''],
  ])('%s is taken', (query, params) => expect(problems(query, params)).toEqual([]));

  test.each([
    ['INSERT INTO orders (a) VALUES (1)', 'malformed-call'],
    ['{"drop": "orders"}', 'malformed-call'],
    ['{"insert": ":name", "documents": [{}]}', 'malformed-call'],
    ['{"insert": "system.users", "documents": [{}]}', 'malformed-call'],
    ['{"insert": "orders", "documents": [{}], "ordered": false}', 'malformed-call'],
    ['{"update": "orders", "updates": [{"q": {}, "u": {"a": 1}}]}', 'malformed-call'],
    ['{"update": "orders", "updates": [{"q": {"a": {"$gtt": 1}}, "u": {"$set": {"a": 1}}}]}', 'malformed-call'],
    ['{"delete": "orders", "deletes": [{"q": {}}]}', 'malformed-call'],
    ['{"aggregate": "orders", "pipeline": [{"$out": "x"}]}', 'malformed-call'],
    ['{"find": "orders", "filter": {"a": ":b"}}', 'unbound-parameter'],
  ])('%s is refused', (query, code) => expect(problems(query)).toEqual([code]));
});
