import { describe, expect, test } from 'vitest';
import { executionBed } from './testing/execution-bed.ts';

const types = `
  enum State { OPEN CLOSED }
  type Order { id: ID!, total: Float, userName: String, state: State, lines: [Line!]!, first: Line, paid: Boolean, at: DateTime, tags: [String], extra: JSON, count: Int }
  type Line { sku: String, unit_price: Float }
`;

/** What `Query.f`, declared of a type, serves of an answer. */
async function served(type: string, value: unknown, selection = '') {
  const { run } = executionBed(`${types} type Query { f: ${type} }`, { 'Query.f': () => value });
  const { data, errors } = await run(`{ f ${selection} }`);
  return errors === undefined ? data?.['f'] : { errors: errors.map(({ message }) => message) };
}

describe('an answer as the declared type takes it', () => {
  const order = { id: 1 };
  test.each([
    ['[Order!]!', [{ id: 'a' }], '{ id }', [{ id: 'a' }]],
    ['[Order!]!', { rows: [{ id: 'a' }] }, '{ id }', [{ id: 'a' }]],
    ['[Order!]!', { id: 'a' }, '{ id }', [{ id: 'a' }]],
    ['[Order!]!', null, '{ id }', []],
    ['[Order]', null, '{ id }', []],
    ['[String]', { names: ['a', 'b'] }, '', ['a', 'b']],
    ['[String]', 'a', '', ['a']],
    ['String', { name: 'a' }, '', 'a'],
    ['String!', [{ name: 'a' }], '', 'a'],
    ['String', [], '', null],
    ['Int!', { n: 5n }, '', 5],
    ['Float!', { n: '2.50' }, '', 2.5],
    ['ID!', { id: 7 }, '', '7'],
    ['State!', { state: 'OPEN' }, '', 'OPEN'],
    ['Boolean!', { affected: 1 }, '', true],
    ['Boolean!', { affected: 0n }, '', false],
    ['Boolean!', { id: 3, name: 'a' }, '', true],
    ['Boolean!', null, '', false],
    ['Boolean!', [], '', false],
    ['Boolean', false, '', false],
    ['Boolean', 1, '', true],
    ['JSON', { a: 1n, b: [new Date(0)] }, '', { a: 1, b: ['1970-01-01T00:00:00Z'] }],
    ['JSON', [1, 2], '', [1, 2]],
    ['Order', { id: 1n }, '{ id }', { id: '1' }],
    ['Order', [order, { id: 2 }], '{ id }', { id: '1' }],
    ['Order', [], '{ id }', null],
    ['Order', null, '{ id }', null],
    ['DateTime', new Date(1_000), '', '1970-01-01T00:00:01Z'],
    ['DateTime', '2025-03-01 10:00:00', '', '2025-03-01T10:00:00Z'],
    ['DateTime', '2025-03-01T10:00:00.5+02', '', '2025-03-01T10:00:00.5+02:00'],
    ['Date', new Date(0), '', '1970-01-01'],
    ['Time', '08:15:00', '', '08:15:00'],
  ])('%s of %o', async (type, value, selection, expected) => {
    expect(await served(type, value, selection)).toEqual(expected);
  });

  test('nested values are fitted too', async () => {
    const value = {
      id: 9n,
      total: '12.5',
      user_name: 'Ada',
      state: 'CLOSED',
      lines: { sku: 'a', unitPrice: 1n },
      first: [{ sku: { code: 'x' } }],
      paid: { affected: 1 },
      at: new Date(0),
      tags: 'one',
      extra: { n: 1n },
      count: { n: [3] },
    };
    const all = '{ id total userName state lines { sku unit_price } first { sku } paid at tags extra count }';
    expect(await served('Order', value, all)).toEqual({
      id: '9',
      total: 12.5,
      userName: 'Ada',
      state: 'CLOSED',
      lines: [{ sku: 'a', unit_price: 1 }],
      first: { sku: 'x' },
      paid: true,
      at: '1970-01-01T00:00:00Z',
      tags: ['one'],
      extra: { n: 1 },
      count: 3,
    });
    expect(value.lines).toEqual({ sku: 'a', unitPrice: 1n });
  });

  test('an object with several keys for one value is an error that names field and keys, at its place', async () => {
    const schema = `${types} type Query { name: String, order: Order }`;
    const { run } = executionBed(schema, {
      'Query.name': { first: 'a', last: 'b' },
      'Query.order': { id: 'a', userName: { first: 'a', last: 'b' } },
    });
    expect(await run('{ name order { id userName } }')).toEqual({
      data: { name: null, order: { id: 'a', userName: null } },
      errors: [
        {
          message: 'the field Query.name is one value, and the answer is an object with the keys first, last',
          locations: [{ line: 1, column: 3 }],
          path: ['name'],
          extensions: { code: 'output_invalid' },
        },
        {
          message: 'the field Order.userName is one value, and the answer is an object with the keys first, last',
          locations: [{ line: 1, column: 19 }],
          path: ['order', 'userName'],
          extensions: { code: 'output_invalid' },
        },
      ],
    });
    const hidden = await run('{ name }', {}, { production: true });
    expect(hidden.errors).toEqual([
      {
        message: 'Internal Server Error',
        locations: [{ line: 1, column: 3 }],
        path: ['name'],
        extensions: { code: 'internal', request_id: expect.any(String) },
      },
    ]);
  });

  test('null for a non-null field is the error of GraphQL, with its path, and goes up to what may be null', async () => {
    const { run } = executionBed(`${types} type Query { orders: [Order], order: Order! }`, {
      'Query.orders': [{ id: 'a' }, { id: null }],
      'Query.order': null,
    });
    const cannot = (field: string) => `Cannot return null for non-nullable field ${field}.`;
    expect(await run('{ orders { id } }')).toEqual({
      data: { orders: [{ id: 'a' }, null] },
      errors: [{ message: cannot('Order.id'), locations: [{ line: 1, column: 12 }], path: ['orders', 1, 'id'] }],
    });
    expect(await run('{ order { id } }', {}, { production: true })).toEqual({
      data: null,
      errors: [{ message: cannot('Query.order'), locations: [{ line: 1, column: 3 }], path: ['order'] }],
    });
  });

  test.each([
    ['Int', 3_000_000_000, 'another number'],
    ['Int', 'many', 'another text'],
    ['Float', Number.NaN, 'another number'],
    ['State', 'LOST', 'another text'],
    ['Boolean', 'maybe', 'another text'],
    ['DateTime', 'yesterday', 'another text'],
    ['Date', 5, 'another number'],
  ])('%s of %s is an error without the value', async (type, value, said) => {
    expect(await served(type, value)).toEqual({
      errors: [`the field Query.f is of type ${type}, and the answer is ${said}`],
    });
  });

  test('a field of Subscription is fitted the same way', async () => {
    const schema = `${types} type Query { a: Int } type Subscription { changed: Order, count: Int! }`;
    const { run } = executionBed(schema, {});
    expect(
      await run('subscription { changed { id userName } }', {}, { root: { changed: [{ id: 1n, user_name: 'Ada' }] } }),
    ).toEqual({ data: { changed: { id: '1', userName: 'Ada' } } });
    expect(await run('subscription { count }', {}, { root: { count: { n: 4n } } })).toEqual({ data: { count: 4 } });
  });
});
