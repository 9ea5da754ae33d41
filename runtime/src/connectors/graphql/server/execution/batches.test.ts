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
