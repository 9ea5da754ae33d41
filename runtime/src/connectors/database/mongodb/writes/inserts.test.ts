import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../../test/support/until.ts';
import type { CallDescription, WriteEach } from '../../../../foundation/contracts/target.ts';
import type { Failure } from '../../../../foundation/errors/failure.ts';
import { describeCall, failureOf } from '../../testing/parts.ts';
import { type OpenedDatabase, openDatabase } from '../testing/opened.ts';
import { type TestServer, testServer } from '../testing/server.ts';

let server: TestServer;
let database: OpenedDatabase;
beforeEach(async () => {
  server = await testServer();
  database = await openDatabase(server);
});
afterEach(async () => {
  await server.fail('off');
  await database.connector.close(AbortSignal.abort());
  await server.stop();
});

const items = () => server.database.collection<{ _id: unknown; n?: number }>('items');
const prepared = (call: Partial<CallDescription> = {}, verb: 'create' | 'read' | 'update' | 'delete' = 'create') =>
  database.connector.target.prepareEach?.(
    describeCall(verb, { target: 'items', ...(verb === 'create' && { operation: 'INSERT' }), ...call }),
  );
const write = (...rows: Parameters<WriteEach>[0]) => (prepared() as WriteEach)(rows, {});
const short = (outcomes: readonly unknown[]) =>
  (outcomes as readonly (Failure | undefined)[]).map((failure) => failure && [failure.code, failure.message]);

describe('many rows', () => {
  test('are inserted by one command as each alone would be', async () => {
    const id = '65a1b2c3d4e5f60718293a4b';
    const rows = [{ id, n: 9007199254740993n }, { _id: 'own', at: new Date(0), missing: undefined }, { n: 3 }];
    await server.fail({ times: 1 }, { failCommands: ['insert'], errorCode: 13 });
    expect(await failureOf(() => write(...rows))).toMatchObject({ code: 'connector_failed', retriable: false });
    expect([await items().countDocuments(), await write(...rows)]).toEqual([0, [undefined, undefined, undefined]]);
    const together = await items().find().toArray();
    await items().deleteMany({});
    for (const payload of rows) await database.run('create', { operation: 'INSERT' }, { payload });
    const alone = await items().find().toArray();
    const known = (found: typeof together) => found.map(({ _id, ...rest }, at) => (at === 2 ? rest : { _id, ...rest }));
    expect(known(together)).toEqual(known(alone));
  });

  test('of which some are refused are inserted but for these, whose failures are those of single inserts', async () => {
    await items().insertOne({ _id: 'taken' });
    const wrong = [{ _id: 'taken', n: 1 }, {}, { $where: 'x' }, { _id: 'a', n: 2 }];
    const outcomes = await write({ _id: 'a', n: 1 }, ...wrong, { _id: 'b', n: 1 });
    const single: { readonly code: string; readonly message: string }[] = [];
    for (const payload of wrong) single.push(await failureOf(() => database.run('create', {}, { payload })));
    const [, empty, operator] = single.map(({ code, message }) => [code, message]);
    expect(short(outcomes).map((failure) => failure?.[0])).toEqual([
      undefined,
      ...single.map(({ code }) => code),
      undefined,
    ]);
    expect(short(outcomes).slice(2, 4)).toEqual([empty, operator]);
    expect((outcomes as Failure[])[1]).toMatchObject({ retriable: false, message: expect.stringMatching(/E11000/) });
    expect(await items().find().toArray()).toEqual([{ _id: 'taken' }, { _id: 'a', n: 1 }, { _id: 'b', n: 1 }]);
  });

  test('are at most 8 MiB a command, but for one that is larger', async () => {
    const text = (length: number) => ({ text: 'x'.repeat(length) });
    const rows = [text(4_000_000), text(4_000_000), text(9_000_000), text(10)];
    expect((await write(...rows)).length).toBe(2);
    expect((await write(...rows.slice(2))).length).toBe(1);
    expect(await items().countDocuments()).toBe(3);
  });

  test('are inserted one by one where they are more than a plain INSERT, or name their collection themselves', () => {
    const others: Parameters<typeof prepared>[] = [
      [{ operation: 'INSERT_MANY' }],
      [{ operation: 'UPSERT' }],
      [{ operation: 'REPLACE' }],
      [{ target: undefined }],
      [{ query: '[{"$match": {}}]' }],
      [{}, 'update'],
      [{}, 'delete'],
      [{}, 'read'],
    ];
    for (const [call, verb] of others) expect(prepared(call, verb)).toBeUndefined();
  });
});

describe('a command of many rows that has no answer', () => {
  test('A-10: is sent again once, and inserts nothing twice; then its outcome is unknown', async () => {
    await server.fail({ times: 1 }, { failCommands: ['insert'], closeConnection: true });
    expect(await write({ n: 1 }, { n: 2 })).toEqual([undefined, undefined]);
    await server.fail('alwaysOn', { failCommands: ['insert'], closeConnection: true });
    expect(await failureOf(() => write({ n: 3 }, { n: 4 }))).toMatchObject({ code: 'outcome_unknown' });
    await server.fail('off');
    expect(await items().countDocuments()).toBe(2);
  });

  test('in time is ended by the server, and its outcome is unknown in part', async () => {
    await server.fail('alwaysOn', { failCommands: ['insert'], blockConnection: true, blockTimeMS: 60_000 });
    const each = prepared({ timeout: 100 }) as WriteEach;
    expect(await failureOf(() => each([{ n: 1 }, { n: 2 }], {}))).toMatchObject({ code: 'outcome_unknown' });
  });

  test('because its caller went away says so', async () => {
    await server.fail('alwaysOn', { failCommands: ['insert'], blockConnection: true, blockTimeMS: 60_000 });
    const caller = new AbortController();
    const asked = failureOf(() => (prepared() as WriteEach)([{ n: 1 }, { n: 2 }], { signal: caller.signal }));
    await until(async () => (await server.running('insert')) === 1);
    caller.abort();
    expect((await asked).code).toBe('cancelled');
  });
});
