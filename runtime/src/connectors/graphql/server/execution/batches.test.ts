import { expect, test } from 'vitest';
import { graphqlService } from '../../testing/service.ts';

const tables = `
CREATE TABLE customers (id INTEGER PRIMARY KEY, name TEXT, city_id INTEGER);
CREATE TABLE orders (id INTEGER PRIMARY KEY, customer_id INTEGER, total REAL);
CREATE TABLE cities (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO cities VALUES (1, 'Rome'), (2, 'Oslo');
INSERT INTO customers VALUES (1, 'Ann', 1), (2, 'Bob', 2), (3, 'Cid', NULL), (4, 'Dee', 1);
INSERT INTO orders VALUES (1, 1, 5), (2, 2, 7), (3, 1, 9);
`;

/** Each execution of a flow of orders writes the keys that it was given. */
const configuration = `
connector "api" {
  type = "graphql"
  port = 0
  host = "127.0.0.1"
}
type "customer" {
  _key = "id"
  id      = id
  name    = string
  city_id = id({ required = false })
}
type "city" {
  _key = "id"
  id   = id
  name = string
}
type "order" {
  id          = id
  customer_id = id
  total       = number
}
flow "customers" {
  returns = "customer[]"
  from {
    connector = "api"
    operation = "Query.customers"
  }
  to {
    connector = "db"
    target    = "customers"
  }
}
flow "orders_of_customers" {
  returns = "order[]"
  from {
    connector = "api"
    operation = "customer.orders"
    batch     = "id"
    match     = "customer_id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
flow "cities" {
  returns = "city"
  entity  = "city"
  from {
    connector = "api"
    batch     = "id"
  }
  to {
    connector = "db"
    query     = "SELECT * FROM cities WHERE id IN (:keys)"
  }
}
flow "city_of_customers" {
  returns = "city"
  from {
    connector = "api"
    operation = "customer.city"
    batch     = "city_id"
    match     = "id"
  }
  step "found" {
    connector = "db"
    query     = "SELECT * FROM cities WHERE id IN (:keys)"
    params    = { keys = "input.keys" }
  }
  step "counted" {
    connector = "db"
    query     = "INSERT INTO asked VALUES (:keys)"
    params    = { keys = "string(size(input.keys))" }
  }
  response {
    rows = "step.found"
  }
}
flow "failing" {
  returns = "String"
  from {
    connector = "api"
    operation = "customer.failing"
    batch     = "id"
  }
  step "none" {
    connector = "db"
    query     = "SELECT * FROM nowhere"
  }
}
`;

test('a flow that takes keys runs once for all objects of a level, and its rows are distributed', async () => {
  await using service = await graphqlService(configuration, `${tables}CREATE TABLE asked (keys TEXT);`);
  expect(await service.ask('{ customers { name orders { total } city { name } } }')).toEqual({
    data: {
      customers: [
        { name: 'Ann', orders: [{ total: 5 }, { total: 9 }], city: { name: 'Rome' } },
        { name: 'Bob', orders: [{ total: 7 }], city: { name: 'Oslo' } },
        { name: 'Cid', orders: [], city: null },
        { name: 'Dee', orders: [], city: { name: 'Rome' } },
      ],
    },
  });
  expect(
    service.database
      .prepare('SELECT keys FROM asked')
      .all()
      .map(({ keys }) => keys),
  ).toEqual(['2']);
});

test('a batch that fails fails its fields alone', async () => {
  await using service = await graphqlService(configuration, `${tables}CREATE TABLE asked (keys TEXT);`);
  const { data, errors } = await service.ask('{ customers { name failing orders { total } } }');
  expect(data).toEqual({
    customers: [
      { name: 'Ann', failing: null, orders: [{ total: 5 }, { total: 9 }] },
      { name: 'Bob', failing: null, orders: [{ total: 7 }] },
      { name: 'Cid', failing: null, orders: [] },
      { name: 'Dee', failing: null, orders: [] },
    ],
  });
  expect(errors?.map(({ path }) => path)).toEqual([0, 1, 2, 3].map((at) => ['customers', at, 'failing']));
});

test('fields that differ in their arguments are asked apart, and references are keys too', async () => {
  await using service = await graphqlService(configuration, `${tables}CREATE TABLE asked (keys TEXT);`);
  const query = `query ($representations: [_Any!]!) {
    customers { a: city { name } b: city { name } }
    _entities(representations: $representations) { ... on city { name } }
  }`;
  const representations = [2, 1, '2', 7].map((id) => ({ __typename: 'city', id }));
  expect(await service.ask(query, { representations })).toMatchObject({
    data: {
      customers: [
        { a: { name: 'Rome' }, b: { name: 'Rome' } },
        { a: { name: 'Oslo' }, b: { name: 'Oslo' } },
        { a: null, b: null },
        { a: { name: 'Rome' }, b: { name: 'Rome' } },
      ],
      _entities: [{ name: 'Oslo' }, { name: 'Rome' }, { name: 'Oslo' }, null],
    },
  });
  // What is asked for under two names is one level.
  expect(service.database.prepare('SELECT keys FROM asked').all()).toHaveLength(1);
});

test('more keys than a flow takes at once are given to it in several executions', async () => {
  const many = Array.from({ length: 2500 }, (_, at) => `(${at + 10}, 'c', ${at + 10})`).join(', ');
  await using service = await graphqlService(
    configuration,
    `${tables}CREATE TABLE asked (keys TEXT); DELETE FROM customers; INSERT INTO customers VALUES ${many};
INSERT INTO cities SELECT id, 'c' || id FROM customers;`,
  );
  const { data, errors } = await service.ask('{ customers { city { name } } }');
  expect(errors).toBeUndefined();
  const { customers } = data as { readonly customers: readonly unknown[] };
  expect(customers).toEqual(Array.from({ length: 2500 }, (_, at) => ({ city: { name: `c${at + 10}` } })));
  const asked = service.database.prepare('SELECT keys FROM asked ORDER BY keys').all();
  expect(asked.map(({ keys }) => keys)).toEqual(['1000', '1000', '500']);
});

test('A-01: two callers who ask at once share no batch', async () => {
  await using service = await graphqlService(configuration, `${tables}CREATE TABLE asked (keys TEXT);`);
  const answers = await Promise.all([1, 2, 3].map(() => service.ask('{ customers { city { name } } }')));
  expect(new Set(answers.map((each) => JSON.stringify(each))).size).toBe(1);
  expect(service.database.prepare('SELECT keys FROM asked').all()).toHaveLength(3);
});
