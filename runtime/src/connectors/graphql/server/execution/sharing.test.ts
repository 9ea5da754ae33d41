import { expect, test, vi } from 'vitest';
import { executionBed, testAsker } from './testing/execution-bed.ts';

const schema = `
  type Item { id: ID, name: String, price: Float, parts: [Item] }
  type Query { item(id: ID, filter: JSON): Item, count: Int, items: [Item] }
  type Mutation { add(n: Int): Int }
`;

test('fields of one name that are asked for the same are one run, which knows what any of them selects', async () => {
  const { run, received } = executionBed(schema, {
    'Query.item': ({ input }) => ({ id: input['id'], name: 'a', price: 2 }),
  });
  const text =
    'query($id: ID) { a: item(id: 1) { id } b: item(id: "1") { name } c: item(id: 2) { price } d: item(id: $id) { price } }';
  expect(await run(text, { id: '1' })).toEqual({
    data: { a: { id: '1' }, b: { name: 'a' }, c: { price: 2 }, d: { price: 2 } },
  });
  expect(received.map(({ input, message }) => [input['id'], message.requested, message.columns])).toEqual([
    ['1', ['id', 'name', 'price'], ['id', 'name', 'price']],
    ['2', ['price'], ['price']],
  ]);
});

test('values that are equal as JSON are the same, in whatever order their fields are; others are not', async () => {
  const { run, received } = executionBed(schema, { 'Query.item': null });
  await run(
    '{ a: item(filter: {x: 1, y: [1]}) { id } b: item(filter: {y: [1], x: 1}) { id } c: item(filter: {x: 1, y: ["1"]}) { id } }',
  );
  expect(received.map(({ input }) => input['filter'])).toEqual([
    { x: 1, y: [1] },
    { x: 1, y: ['1'] },
  ]);
});

test('a shared failure is the error of each of its fields, and of no other', async () => {
  const { run } = executionBed(schema, {
    'Query.item': () => {
      throw new Error('broken');
    },
    'Query.count': 3,
  });
  const { data, errors } = await run('{ a: item { id } b: item { name } count }');
  expect(data).toEqual({ a: null, b: null, count: 3 });
  expect(errors?.map(({ path, message }) => [path, message])).toEqual([
    [['a'], 'broken'],
    [['b'], 'broken'],
  ]);
});

test('A-01: two requests for one document share nothing', async () => {
  const { documents, received } = executionBed(schema, {
    'Query.item': ({ auth }) => Promise.resolve({ id: auth.user_id }),
  });
  const prepared = documents.prepare('query($id: ID) { a: item(id: $id) { id } b: item(id: $id) { id } }');
  if (!('execute' in prepared)) throw prepared[0];
  const asker = (user_id: string) => testAsker({ auth: { ...testAsker().auth, user_id } });
  const both = await Promise.all([
    prepared.execute(asker('ada'), { id: 1 }),
    prepared.execute(asker('bob'), { id: 1 }),
  ]);
  expect(JSON.stringify(both.map(({ data }) => data))).toBe(
    '[{"a":{"id":"ada"},"b":{"id":"ada"}},{"a":{"id":"bob"},"b":{"id":"bob"}}]',
  );
  expect(received.length).toBe(2);
});

test('fields of a query run at the same time, a bounded number of them; each has its place', async () => {
  let running = 0;
  let most = 0;
  const { run, received } = executionBed(schema, {
    'Query.item': async ({ input }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return { id: input['id'] };
    },
  });
  const aliases = Array.from({ length: 1000 }, (_, at) => `a${at}: item(id: ${at}) { id }`);
  const { data } = await run(`{ ${aliases.join(' ')} }`);
  expect(Object.values(data ?? {})).toEqual(Array.from({ length: 1000 }, (_, at) => ({ id: String(at) })));
  expect([most, received.length]).toEqual([16, 1000]);
});

test('fields of lists run at the same time as well, a bounded number of them', async () => {
  let running = 0;
  let most = 0;
  const { run } = executionBed(schema, {
    'Query.items': Array.from({ length: 100 }, (_, id) => ({ id })),
    'Item.name': async ({ input }) => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setImmediate(resolve));
      running--;
      return `n${input['parent_id']}`;
    },
  });
  const { data } = await run('{ items { name } }');
  expect(data).toEqual({ items: Array.from({ length: 100 }, (_, at) => ({ name: `n${at}` })) });
  expect(most).toBe(16);
});

test('fields of a mutation run one after another, each of them, whatever they ask', async () => {
  const log: string[] = [];
  const { run } = executionBed(schema, {
    'Mutation.add': async ({ input }) => {
      log.push(`begin ${input['n']}`);
      await new Promise((resolve) => setImmediate(resolve));
      log.push(`end ${input['n']}`);
      return input['n'];
    },
  });
  expect(await run('mutation { a: add(n: 1) b: add(n: 1) c: add(n: 2) }')).toEqual({ data: { a: 1, b: 1, c: 2 } });
  expect(log).toEqual(['begin 1', 'end 1', 'begin 1', 'end 1', 'begin 2', 'end 2']);
});

test('once a request has ended none of its fields begins', async () => {
  const asker = testAsker();
  const ended = { ...asker, cancelled: false };
  const { run, received } = executionBed(schema, {
    'Mutation.add': () => {
      ended.cancelled = true;
      return 1;
    },
  });
  const { data, errors } = await run('mutation { a: add(n: 1) b: add(n: 2) }', {}, { asker: ended });
  expect([data, errors?.map(({ path }) => path), received.length]).toEqual([{ a: 1, b: null }, [['b']], 1]);
});

test('a message says what is selected: of one object for steps, of the objects of a list for columns', async () => {
  const { run, received } = executionBed(`${schema} extend type Item { ownerId: ID, owner: Item }`, {
    'Query.item': null,
    'Query.items': null,
    'Item.owner': null,
  });
  await run('{ item { id ownerId } }');
  await run('{ items { id name } }');
  await run('{ item { owner { id } } }');
  expect(received.map(({ message: { requested, columns } }) => [requested, columns])).toEqual([
    [
      ['id', 'ownerId', 'owner_id'],
      ['id', 'ownerId', 'owner_id'],
    ],
    [undefined, ['id', 'name']],
    [undefined, undefined],
  ]);
});

test('a message says for debuggers which field its flow resolves and what was asked', async () => {
  const held = vi.fn();
  const { run } = executionBed(schema, { 'Query.item': (message) => void held(message.held?.()) });
  await run('{ item(id: 4) { id } }');
  expect(held).toHaveBeenCalledWith({
    kind: 'request',
    method: 'POST',
    route: 'Query.item',
    timeoutMs: undefined,
    asked: { id: '4' },
  });
});

test('a gate that turns the message away answers null', async () => {
  const { run } = executionBed(schema, {
    'Query.count': { kind: 'drop', reason: 'filter', policy: 'ack', expression: 'false', messageId: '' },
  });
  expect(await run('{ count }')).toEqual({ data: { count: null } });
});
