import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { failureOf } from '../testing/parts.ts';
import { type OpenedDatabase, openDatabase } from './testing/opened.ts';
import { type TestServer, testServer } from './testing/server.ts';

let server: TestServer;
let database: OpenedDatabase;
beforeAll(async () => {
  server = await testServer();
  database = await openDatabase(server, { statement_timeout: 5_000 });
});
afterEach(() => server.fail('off'));
afterAll(async () => {
  await database.connector.close();
  await server.stop();
});

const insert = (id: string) => database.run('create', {}, { payload: { _id: id } });
const count = () => server.database.collection('items').countDocuments();

test('a duplicate key is a violated constraint; of many documents it says how many are there', async () => {
  await insert('a');
  expect(await failureOf(() => insert('a'))).toMatchObject({ code: 'constraint_violated', retriable: false });
  const documents = [{ _id: 'b' }, { _id: 'a' }, { _id: 'c' }];
  const failure = await failureOf(() =>
    database.run('create', { operation: 'INSERT_MANY' }, { params: { documents } }),
  );
  expect([failure.code, failure.message, await count()]).toEqual([
    'constraint_violated',
    expect.stringContaining('1 documents before it were inserted'),
    2,
  ]);
});

test.each([
  ['a write conflict', 112, 'connector_failed', true],
  ['another primary', 10_107, 'connector_refused', true],
  ['a server that stops', 11_600, 'outcome_unknown', true],
  ['a right that is missing', 13, 'connector_failed', false],
  ['a failed validation', 121, 'constraint_violated', false],
])('%s (%i) of a write is %s', async (_, errorCode, code, retriable) => {
  await server.fail('alwaysOn', { failCommands: ['insert'], errorCode });
  expect(await failureOf(() => insert('x'))).toMatchObject({ code, retriable });
});

test('A-10: a connection that is cut before the answer: a write is sent again, then its outcome is unknown', async () => {
  const before = await count();
  await server.fail({ times: 1 }, { failCommands: ['insert'], closeConnection: true });
  expect(await insert('once')).toMatchObject({ affected: 1 });
  await server.fail('alwaysOn', { failCommands: ['insert', 'find'], closeConnection: true });
  expect(await failureOf(() => insert('never'))).toMatchObject({ code: 'outcome_unknown', retriable: true });
  const many = { params: { documents: [{ _id: 'neither' }, { _id: 'nor' }] } };
  expect(await failureOf(() => database.run('create', { operation: 'INSERT_MANY' }, many))).toMatchObject({
    code: 'outcome_unknown',
  });
  expect(await failureOf(() => database.rows({}))).toMatchObject({ code: 'connector_refused', retriable: true });
  await server.fail('off');
  expect(await count()).toBe(before + 1);
});

test('an operation ends after `statement_timeout`, or the timeout of its own, also when the server is silent', async () => {
  await server.fail('alwaysOn', { failCommands: ['find', 'delete'], blockConnection: true, blockTimeMS: 60_000 });
  const hasty = await openDatabase(server, { statement_timeout: 500 });
  expect(await failureOf(() => hasty.rows({}))).toMatchObject({
    code: 'connector_timeout',
    message: expect.stringContaining('500 ms'),
  });
  expect(await failureOf(() => database.rows({ timeout: 50 }))).toMatchObject({ code: 'connector_timeout' });
  const many = { operation: 'DELETE_MANY', timeout: 50 };
  const failure = await failureOf(() => database.run('delete', many, { filters: { n: 1 } }));
  expect(failure).toMatchObject({ code: 'outcome_unknown', retriable: true });
  await hasty.connector.close(AbortSignal.abort());
});

test('more operations than `pool.max` wait for `connect_timeout`, and are refused without being sent', async () => {
  await server.fail('alwaysOn', { failCommands: ['find'], blockConnection: true, blockTimeMS: 60_000 });
  const small = await openDatabase(server, { pool: { max: 2, min: 0, connect_timeout: 100 } });
  const taken = [small.rows({}), small.rows({})];
  await until(async () => (await server.running('find')) === 2);
  const write = () => small.run('create', {}, { payload: { _id: 'waits' } });
  expect(await failureOf(write)).toMatchObject({ code: 'connector_busy', retriable: true });
  await server.fail('off');
  await Promise.all(taken);
  expect(await write()).toMatchObject({ affected: 1 });
  await small.connector.close();
});
