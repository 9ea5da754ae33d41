import { buildSchema } from 'graphql';
import { expect, test } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { binding } from '../../rest/testing/served.ts';
import { create } from './connector.ts';
import { knownFields } from './known-fields.ts';
import { graphqlServer } from './spec.ts';

test('fields are known as flows name them, root types first, without those of a federation', () => {
  const schema = buildSchema(`
    type Product { id: ID reviews(first: Int, after: ID): [Int] }
    type _Service { sdl: String }
    type Query { product(id: ID): Product _service: _Service }
    type Mutation { add(name: String): Product }
  `);
  expect(knownFields(schema)).toEqual([
    { name: 'Query.product', kind: 'field', columns: ['id'] },
    { name: 'Mutation.add', kind: 'field', columns: ['name'] },
    { name: 'Product.id', kind: 'field', columns: [] },
    { name: 'Product.reviews', kind: 'field', columns: ['first', 'after'] },
  ]);
});

test('as many are known as a connector tells at most', () => {
  const fields = Array.from({ length: 1_200 }, (_, at) => `f${at}(a: Int): Int`).join('\n');
  expect(knownFields(buildSchema(`type Query {\n${fields}\n}`))).toHaveLength(1_000);
});

test('a server knows those of the configuration that is in use', async () => {
  const server = create('api', configured(graphqlServer.config, { port: 0 }), connectorServices());
  const asked = () => server.knownTargets?.(new AbortController().signal);
  const bind = async (operation: string) => {
    const bound = server.source?.bind([{ ...binding('GET /', () => ({ kind: 'reply', value: 1 })), operation }], {
      types: [],
      sent: [],
    });
    await bound?.prepare();
    return bound;
  };
  expect(await asked()).toEqual([]);
  (await bind('Query.one'))?.use();
  const next = await bind('Query.two');
  expect(await asked()).toEqual([{ name: 'Query.one', kind: 'field', columns: ['input'] }]);
  next?.use();
  expect(await asked()).toEqual([{ name: 'Query.two', kind: 'field', columns: ['input'] }]);
  await server.close();
});
