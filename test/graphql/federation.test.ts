import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ApolloGateway, IntrospectAndCompose } from '@apollo/gateway';
import { buildSubgraphSchema } from '@apollo/subgraph';
import { composeServices } from '@theguild/federation-composition';
import { graphql, parse } from 'graphql';
import { expect, test } from 'vitest';
import { graphqlService } from '../../runtime/src/connectors/graphql/testing/service.ts';

const tables = `
CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT, maker_id INTEGER);
CREATE TABLE makers (id INTEGER PRIMARY KEY, name TEXT);
INSERT INTO products VALUES (1, 'Lamp', 1), (2, 'Desk', 1), (3, 'Chair', 2);
INSERT INTO makers VALUES (1, 'Ann'), (2, 'Bob');
`;

/** Products with a price that needs the weight that another service knows. */
const configuration = `
connector "api" {
  type = "graphql"
  port = 0
  host = "127.0.0.1"
}
type "product" {
  _key     = "id"
  id       = id
  name     = string
  kind     = string({ enum = ["small", "very large"], required = false })
  weight   = number({ external = true })
  shipping = number({ requires = "weight", required = false })
}
type "maker" {
  _key       = "id"
  _shareable = true
  id         = id
  name       = string
}
flow "products" {
  returns = "product[]"
  from {
    connector = "api"
    operation = "Query.products"
  }
  to {
    connector = "db"
    target    = "products"
  }
}
flow "product" {
  entity = "product"
  from {
    connector = "api"
    batch     = "id"
  }
  to {
    connector = "db"
    target    = "products"
  }
}
flow "maker_of_products" {
  returns = "maker"
  from {
    connector = "api"
    operation = "product.maker"
    batch     = "maker_id"
    match     = "id"
  }
  to {
    connector = "db"
    target    = "makers"
  }
}
flow "shipping" {
  returns = "Float"
  from {
    connector = "api"
    operation = "product.shipping"
  }
  response {
    cost = "double(input.parent_weight) * 2.0"
  }
}
`;

const stock = `
extend schema @link(url: "https://specs.apollo.dev/federation/v2.0", import: ["@key"])
type product @key(fields: "id") { id: ID! weight: Float stock: Int! }
type Query { scarce: [product!]! }
`;

interface Reference {
  readonly id: string;
}

/** Another service of the federation, made with the library of its authors. */
async function stockService(): Promise<Server & AsyncDisposable> {
  const resolvers = {
    Query: { scarce: () => [{ id: '2' }, { id: '3' }] },
    product: {
      __resolveReference: ({ id }: Reference) => ({ id }),
      weight: ({ id }: Reference) => Number(id) * 1.5,
      stock: ({ id }: Reference) => Number(id) * 10,
    },
  };
  const schema = buildSubgraphSchema([{ typeDefs: parse(stock), resolvers }]);
  const server = createServer(async (request, response) => {
    const { query, variables } = JSON.parse(await text(request)) as { query: string; variables?: object };
    const result = await graphql({ schema, source: query, variableValues: { ...variables } });
    response.setHeader('content-type', 'application/json').end(JSON.stringify(result));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(server, { [Symbol.asyncDispose]: async () => void server.close() });
}

test('the gateway of Apollo composes a service with another one and queries through both', async () => {
  await using service = await graphqlService(configuration, tables);
  await using other = await stockService();
  const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}/graphql`;
  const gateway = new ApolloGateway({
    supergraphSdl: new IntrospectAndCompose({
      subgraphs: [
        { name: 'products', url: service.url },
        { name: 'stock', url },
      ],
    }),
  });
  const { executor } = await gateway.load();
  try {
    const query = '{ scarce { id stock weight shipping name maker { name } } products { name stock } }';
    const result = await executor({
      document: parse(query),
      request: { query, variables: {} },
      queryHash: 'one',
      context: {},
      cache: {} as never,
      schema: gateway.schema as never,
      logger: console as never,
      source: query,
      operationName: null,
      operation: parse(query).definitions[0] as never,
      metrics: {},
      overallCachePolicy: {} as never,
    } as never);
    expect(result).toEqual({
      data: {
        scarce: [
          { id: '2', stock: 20, weight: 3, shipping: 6, name: 'Desk', maker: { name: 'Ann' } },
          { id: '3', stock: 30, weight: 4.5, shipping: 9, name: 'Chair', maker: { name: 'Bob' } },
        ],
        products: [
          { name: 'Lamp', stock: 10 },
          { name: 'Desk', stock: 20 },
          { name: 'Chair', stock: 30 },
        ],
      },
    });
  } finally {
    await gateway.stop();
  }
});

test('another composition accepts the schema that a service says it has', async () => {
  await using service = await graphqlService(configuration, tables);
  const { data } = await service.ask('{ _service { sdl } }');
  const { sdl } = (data as { _service: { sdl: string } })._service;
  const result = composeServices([
    { name: 'products', typeDefs: parse(sdl), url: 'http://products' },
    { name: 'stock', typeDefs: parse(stock), url: 'http://stock' },
  ]);
  expect(result.errors).toBeUndefined();
  expect(result.supergraphSdl).toContain('join__type(graph: STOCK');
});
