import { GraphQLEnumType } from 'graphql';
import { expect, test } from 'vitest';
import { executionBed } from './testing/execution-bed.ts';

const schema = `
  enum State { OPEN CLOSED }
  input Paging { limit: Int! = 20, offset: Int, state: State = OPEN, tags: [String!] }
  type Order { id: ID, owner: User, name: String }
  type User { id: ID, name: String }
  type Query {
    orders(input: Paging! = {offset: 5}, state: State! = OPEN, term: String, filter: JSON): [Order]
    order(id: ID!, at: DateTime): Order
    search(input: JSON, limit: Int! = 3): JSON
  }
  type Mutation { save(input: JSON): Boolean }
`;

function bed() {
  return executionBed(schema, {
    'Query.orders': [],
    'Query.order': { id: 1, owner_id: 4, name: 'o' },
    'Query.search': null,
    'Order.owner': { id: 4, name: 'Ada' },
    'Mutation.save': true,
  });
}

async function inputOf(text: string, variables: Readonly<Record<string, unknown>> = {}) {
  const { run, received } = bed();
  const { errors } = await run(text, variables);
  return errors === undefined ? received.at(-1)?.input : errors.map(({ message }) => message);
}

test('defaults of arguments, of fields of an input object and of variables are used where nothing was sent', async () => {
  expect(await inputOf('{ orders { id } }')).toEqual({ limit: 20, state: 'OPEN', offset: 5 });
  expect(await inputOf('{ orders(input: {}) { id } }')).toEqual({ limit: 20, state: 'OPEN' });
  expect(await inputOf('query($n: Int! = 7) { orders(input: {limit: $n}) { id } }')).toEqual({
    limit: 7,
    state: 'OPEN',
    n: 7,
  });
  expect(await inputOf('query($n: Int) { orders(input: {limit: 2, offset: $n}) { id } }')).toEqual({
    limit: 2,
    state: 'OPEN',
  });
  expect(await inputOf('query($p: Paging! = {offset: 1}) { orders(input: $p) { id } }')).toEqual({
    limit: 20,
    offset: 1,
    state: 'OPEN',
  });
  expect(await inputOf('query($n: Int) { search(limit: $n) }')).toEqual({ limit: 3 });
});

test('a value that was sent is never overwritten, null included', async () => {
  expect(await inputOf('{ orders(input: {limit: 0, offset: null, tags: "a"}, state: CLOSED) { id } }')).toEqual({
    limit: 0,
    offset: null,
    state: 'CLOSED',
    tags: ['a'],
  });
  expect(
    await inputOf('query($p: Paging!) { orders(input: $p) { id } }', { p: { limit: 1, state: null, offset: 2 } }),
  ).toEqual({ limit: 1, offset: 2, state: null });
  expect(await inputOf('query($n: Int! = 7) { search(limit: $n) }', { n: 0 })).toEqual({ limit: 0, n: 0 });
});

test('a non-null value without a default is required, in a variable too', async () => {
  expect(await inputOf('query($id: ID!) { order(id: $id) { id } }')).toEqual([
    'Variable "$id" of required type "ID!" was not provided.',
  ]);
  expect(await inputOf('query($n: Int) { search(limit: $n) }', { n: null })).toEqual([
    'Argument "limit" of non-null type "Int!" must not be null.',
  ]);
});

test('an argument `input` that is an object is spread; other values of it are its own', async () => {
  expect(await inputOf('{ search(input: {term: "a", deep: {b: [1]}}) }')).toEqual({
    term: 'a',
    deep: { b: [1] },
    limit: 3,
  });
  expect(await inputOf('{ search(input: [1, 2]) }')).toEqual({ input: [1, 2], limit: 3 });
  expect(await inputOf('{ search(input: {__requested_fields: ["x"], __proto: 1, a: 1}) }')).toEqual({ a: 1, limit: 3 });
});

test('an argument and a field of `input` with one name are one value', async () => {
  const { run, received } = bed();
  const last = async (text: string) => ({ answer: await run(text), input: received.at(-1)?.input });
  const { input: same } = await last('{ orders(input: {state: CLOSED}, state: CLOSED) { id } }');
  expect(same).toEqual({ limit: 20, state: 'CLOSED' });
  // A default gives way, whichever of them has it.
  expect((await last('{ search(input: {limit: 5}) }')).input).toEqual({ limit: 5 });
  expect((await last('{ search(input: {limit: null}) }')).input).toEqual({ limit: null });
  expect((await last('{ search(input: {limit: "7"}, limit: 7) }')).input).toEqual({ limit: 7 });
  expect((await last('{ orders(input: {}, state: CLOSED) { id } }')).input).toEqual({ limit: 20, state: 'CLOSED' });
  const before = received.length;
  const message = '"limit" is an argument and a field of `input`, with different values';
  for (const value of ['5', 'null', '[7]'])
    expect(await run(`{ search(input: {limit: ${value}}, limit: 7) }`)).toEqual({
      data: { search: null },
      errors: [
        {
          message,
          locations: [{ line: 1, column: 3 }],
          path: ['search'],
          extensions: { code: 'value_refused', fields: [{ field: 'limit', code: 'conflict', message }] },
        },
      ],
    });
  expect(received.length).toBe(before);
});

test('single variables are there under their names, never over an argument', async () => {
  const text =
    'query($term: String, $who: String, $list: [Int], $state: State!) { orders(state: $state) { id } a: search(input: {who: $who, l: $list, t: $term}) }';
  const { run, received } = bed();
  await run(text, { term: 't', who: 'w', list: [1], state: 'CLOSED' });
  expect(received.map(({ field, input, message }) => [field, input, message.around])).toEqual([
    ['Query.orders', { limit: 20, offset: 5, state: 'CLOSED', who: 'w' }, ['who']],
    ['Query.search', { limit: 3, who: 'w', l: [1], t: 't', term: 't', state: 'CLOSED' }, ['term', 'state']],
  ]);
});

test('variables within a value of a JSON argument are those of the request', async () => {
  expect(await inputOf('query($v: JSON, $n: Int) { search(input: {a: [$v], n: $n}) }', { v: { b: 1 }, n: 2 })).toEqual({
    a: [{ b: 1 }],
    n: 2,
    limit: 3,
  });
});

test('a field below another one has the fields of its parent beside its arguments', async () => {
  const { run, received } = bed();
  expect(await run('{ order(id: 5) { owner { name } } }')).toEqual({ data: { order: { owner: { name: 'Ada' } } } });
  expect(received.map(({ field, input, message }) => [field, input, message.around])).toEqual([
    ['Query.order', { id: '5' }, undefined],
    [
      'Order.owner',
      { parent_id: 1, parent_owner_id: 4, parent_name: 'o' },
      ['parent_id', 'parent_owner_id', 'parent_name'],
    ],
  ]);
});

test('an enum is its value in flows, and its name for callers', async () => {
  const { documents, received, run } = executionBed(
    'enum State { OPEN CLOSED } type Query { a(state: State = OPEN): State }',
    { 'Query.a': ({ input }) => input['state'] },
  );
  expect(documents).toBeDefined();
  expect(await run('{ a b: a(state: CLOSED) }')).toEqual({ data: { a: 'OPEN', b: 'CLOSED' } });
  expect(received.map(({ input }) => input['state'])).toEqual(['OPEN', 'CLOSED']);
  expect(new GraphQLEnumType({ name: 'E', values: { A: { value: 'a' } } }).parseValue('A')).toBe('a');
});

test('what was selected is asked by functions of expressions, and is not among the fields of the input', async () => {
  const { run, received } = executionBed(
    'type Query { order(id: ID): Order } type Order { id: ID, customer: Customer } type Customer { name: String, mail: String }',
    { 'Query.order': null },
    { readsSelection: true },
  );
  await run(
    'query($all: Boolean!) { order(id: 1) { id ...C } } fragment C on Order { x: customer { name mail @include(if: $all) } }',
    { all: false },
  );
  const input = received[0]?.message.input ?? {};
  expect(JSON.stringify(input)).toBe('{"id":"1","all":false}');
  expect({ ...input }).toEqual({ id: '1', all: false });
  expect(input['__requested_fields']).toEqual(['id', 'customer', 'customer.name']);
  expect(input['__requested_top_fields']).toEqual(['id', 'customer']);
});
