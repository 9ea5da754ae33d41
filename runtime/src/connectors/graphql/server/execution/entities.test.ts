import { expect, test } from 'vitest';
import { graphqlService } from '../../testing/service.ts';

const tables = `
CREATE TABLE products (id INTEGER PRIMARY KEY, sku TEXT, name TEXT);
CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO products VALUES (1, 'a', 'One'), (2, 'b', 'Two');
INSERT INTO makers VALUES (1, 'Ann'), (2, 'Bob');
`;

const configuration = `
connector "api" {
  type = "graphql"
  port = 0
  host = "127.0.0.1"
}
type "product" {
  _key   = "id"
  id     = id
  sku    = string
  name   = string
  weight = number({ external = true })
  cost   = number({ requires = "weight", required = false })
}
type "maker" {
  _key = "id"
  id   = id
  name = string
}
type "lost" {
  _key = "id"
  id   = id
}
type "broken" {
  _key = "id"
  id   = id
}
flow "products" {
  entity = "product"
  from {
    connector = "api"
  }
  to {
    connector = "db"
    target    = "products"
  }
}
flow "cost" {
  returns = "Float"
  from {
    connector = "api"
    operation = "product.cost"
  }
  response {
    cost = "input.parent_weight * 2.0"
  }
}
flow "maker" {
  returns = "maker"
  from {
    connector = "api"
    operation = "Query.maker"
  }
  to {
    connector = "db"
    target    = "makers"
  }
}
flow "broken" {
  entity = "broken"
  from {
    connector = "api"
    batch     = "id"
  }
  step "none" {
    connector = "db"
    query     = "SELECT * FROM nowhere"
  }
}
`;

const ask = `query ($representations: [_Any!]!) {
  _entities(representations: $representations) {
    __typename
    ... on product { id name cost }
    ... on maker { name }
    ... on lost { id }
    ... on broken { id }
  }
}`;

test('references are resolved by the flow that names their type, else by the query that returns it', async () => {
  await using service = await graphqlService(configuration, tables);
  const references = (representations: readonly unknown[]) => service.ask(ask, { representations });
  expect(
    await references([
      { __typename: 'product', id: 2, weight: 1.5 },
      { __typename: 'maker', id: '1' },
      { __typename: 'maker', id: 7 },
      { __typename: 'lost', id: 1 },
      { __typename: 'product', id: 2, weight: 1.5 },
    ]),
  ).toEqual({
    data: {
      _entities: [
        { __typename: 'product', id: '2', name: 'Two', cost: 3 },
        { __typename: 'maker', name: 'Ann' },
        null,
        null,
        { __typename: 'product', id: '2', name: 'Two', cost: 3 },
      ],
    },
  });
});

test('what is not a reference is an error in its place, and the others are answered', async () => {
  await using service = await graphqlService(configuration, tables);
  const { data, errors } = await service.ask(ask, {
    representations: [
      { __typename: 'Query' },
      { id: 1 },
      7,
      { __typename: 'broken', id: 1 },
      { __typename: '__proto__', id: 1 },
      { __typename: 'constructor', id: 1 },
      { __typename: 'maker', id: 2 },
    ],
  });
  expect(data).toEqual({ _entities: [null, null, null, null, null, null, { __typename: 'maker', name: 'Bob' }] });
  expect(errors?.map(({ path }) => path)).toEqual([0, 1, 2, 3, 4, 5].map((at) => ['_entities', at]));
  expect(errors?.map(({ message }) => message)).toEqual([
    'this service resolves no references of the type "Query"',
    'a representation needs the field __typename',
    'a representation needs the field __typename',
    expect.stringContaining('nowhere'),
    'this service resolves no references of the type "__proto__"',
    'this service resolves no references of the type "constructor"',
  ]);
});

test('S-58: names of a reference that its type does not declare reach no flow, no filter and no prototype', async () => {
  await using service = await graphqlService(configuration, tables);
  const representations =
    '[{"__typename":"product","id":1,"weight":1,"isAdmin":true,"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}]';
  for (let times = 0; times < 20; times++) {
    const { data, errors } = await service.ask(ask, { representations: JSON.parse(representations) });
    expect([data, errors]).toEqual([
      { _entities: [{ __typename: 'product', id: '1', name: 'One', cost: 2 }] },
      undefined,
    ]);
  }
  const raw = await fetch(service.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: `{"query":${JSON.stringify(ask)},"variables":{"representations":${representations}}}`,
  });
  expect(((await raw.json()) as { data: unknown }).data).toEqual({
    _entities: [{ __typename: 'product', id: '1', name: 'One', cost: 2 }],
  });
  expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined();
});

test('more references than a request may have are refused', async () => {
  await using service = await graphqlService(configuration, tables);
  const many = Array.from({ length: 10_001 }, (_, id) => ({ __typename: 'maker', id }));
  const { errors } = await service.ask(ask, { representations: many });
  expect(errors?.[0]?.message).toBe('_entities takes at most 10000 representations, not 10001');
});

test('what a service answers about itself is there without a federation, its entities are not', async () => {
  await using service = await graphqlService(
    configuration
      .replace('port = 0', 'port = 0\n  federation {\n    enabled = false\n  }')
      .replace(/^ +entity .*$/gm, ' returns = "Int"')
      .replaceAll('connector = "api"\n  }', 'connector = "api"\n    operation = "Query.x"\n  }')
      .replaceAll('batch     = "id"', 'operation = "Query.y"'),
    tables,
  );
  const { data } = await service.ask('{ _service { sdl } }');
  expect((data as { _service: { sdl: string } })._service.sdl).not.toContain('@');
  expect((await service.ask('{ _entities(representations: []) { __typename } }')).errors?.[0]?.message).toContain(
    '_entities',
  );
});
