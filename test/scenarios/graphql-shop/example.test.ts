import { join } from 'node:path';
import { type Client, createClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { until } from '../../support/until.ts';
import { migrate, type Scenario, startScenario } from '../scenario.ts';

/** The example that people read. */
const example = join(import.meta.dirname, '../../../examples/graphql-shop');
let service: Scenario;

beforeAll(async () => {
  service = await startScenario(example, { prepare: (directory) => migrate(directory, ['db']) });
});

afterAll(() => service?.end());

const ask = async (query: string, variables = {}) => (await service.ask('POST', '/graphql', { query, variables })).body;

const create = 'mutation ($input: new_product) { create_product(input: $input) { id name kind } }';
const review = 'mutation ($id: ID, $stars: Int) { add_review(product_id: $id, stars: $stars) { id stars } }';

test('products are created and read with their reviews, which one statement reads for all of them', async () => {
  expect(await ask(create, { input: { name: 'Dune', price: 12.5, kind: 'BOOK' } })).toEqual({
    data: { create_product: { id: '1', name: 'Dune', kind: 'BOOK' } },
  });
  expect(await ask(create, { input: { name: 'Kind of Blue', price: 20 } })).toEqual({
    data: { create_product: { id: '2', name: 'Kind of Blue', kind: 'OTHER' } },
  });
  expect(await ask(review, { id: '1', stars: 5 })).toEqual({ data: { add_review: { id: '1', stars: 5 } } });
  expect(await ask(review, { id: '1', stars: 9 })).toMatchObject({
    data: { add_review: null },
    errors: [
      { path: ['add_review'], extensions: { code: 'input_invalid', fields: [{ field: 'stars', code: 'max' }] } },
    ],
  });
  const runs = 'svc_flow_executions_total{flow="reviews",status="success"}';
  const before = (await service.metric(runs)) ?? 0;
  expect(await ask('{ products { name kind reviews { stars text } } }')).toEqual({
    data: {
      products: [
        { name: 'Dune', kind: 'BOOK', reviews: [{ stars: 5, text: null }] },
        { name: 'Kind of Blue', kind: 'OTHER', reviews: [] },
      ],
    },
  });
  expect((await service.metric(runs)) ?? 0).toBe(before + 1);
});

test('other services of a federation are answered what they refer to', async () => {
  const query = 'query ($all: [_Any!]!) { _entities(representations: $all) { ... on product { name } } }';
  const all = ['1', '2', '7'].map((id) => ({ __typename: 'product', id }));
  expect(await ask(query, { all })).toEqual({
    data: { _entities: [{ name: 'Dune' }, { name: 'Kind of Blue' }, null] },
  });
});

test('subscribers hear of the product that they named, and of no other', async () => {
  const heard = new Map<string, unknown[]>();
  const clients: Client[] = [];
  for (const product of ['1', '2']) {
    const url = `${service.address.replace('http', 'ws')}/subscriptions`;
    const client = createClient({ url, webSocketImpl: WebSocket, connectionParams: { product } });
    clients.push(client);
    const events: unknown[] = [];
    heard.set(product, events);
    const next = (value: unknown) => void events.push(value);
    client.subscribe(
      { query: 'subscription { review_added { product_id stars } }' },
      { next, error: next, complete: () => undefined },
    );
  }
  await until(async () => (await service.metric('svc_subscriptions{connector="api"}')) === 2);
  for (const [id, stars] of [
    ['1', 3],
    ['2', 4],
  ])
    await ask(review, { id, stars });
  await until(() => [...heard.values()].every((events) => events.length > 0));
  const event = (product_id: string, stars: number) => [{ data: { review_added: { product_id, stars } } }];
  expect([...heard]).toEqual([
    ['1', event('1', 3)],
    ['2', event('2', 4)],
  ]);
  for (const client of clients) await client.dispose();
  expect(await service.stop()).toMatchObject({ code: 0 });
});
