import { expect, test } from 'vitest';
import type { Outline } from '../debug/session/flow-map.ts';
import { newThread } from '../debug/session/thread.ts';
import { endpointOf, refusedAsRequest, requestOf } from './run-request.ts';

const outlineOf = (operation: string) =>
  ({
    connectors: [{ name: 'api', kind: 'api' }],
    flows: [{ name: 'order', source: { connector: 'api', operation } }],
    edges: [],
    endpoints: [],
  }) as unknown as Outline;

function requestFor(operation: string, input: unknown) {
  const thread = newThread('a', 1, 'order', input, 1);
  const outline = outlineOf(operation);
  const reason = refusedAsRequest(thread, outline);
  return reason ?? requestOf(thread, endpointOf(thread, outline)!);
}

const headers = { host: 'a:1', 'content-type': 'application/json', 'x-tenant': 'acme', authorization: '***' };

test('parameters of the path are in the address, the rest in the body, headers without those of the way', () => {
  expect(requestFor('PATCH /orders/:id/items', { id: 'a/b', quantity: 2, headers })).toEqual({
    method: 'PATCH',
    url: '{{base}}/orders/a%2Fb/items',
    headers: { 'x-tenant': 'acme' },
    body: { quantity: 2 },
  });
});

test('one that is kept has no secrets in it, one that is sent again has what the flow was given', () => {
  const thread = newThread('a', 1, 'order', { name: 'Ada', password: 'p-1' }, 1);
  const endpoint = endpointOf(thread, outlineOf('POST /orders'))!;
  expect(requestOf(thread, endpoint).body).toEqual({ name: 'Ada', password: 'p-1' });
  expect(requestOf(thread, endpoint, true).body).toEqual({ name: 'Ada' });
});

test('where the method has no body, the rest is behind the question mark', () => {
  expect(requestFor('GET /orders', { status: 'open & new', tag: ['a', 'b'], limit: 5 })).toEqual({
    method: 'GET',
    url: '{{base}}/orders?status=open+%26+new&tag=a&tag=b&limit=5',
    headers: {},
  });
});

test.each([
  ['orders.created', {}, 'Only what came as a request can be sent again.'],
  ['POST /orders', undefined, 'The run began before the studio was attached.'],
  ['POST /orders', { items: ['a', '… 900 more'] }, 'Its input is too large to be kept whole.'],
  [
    'POST /orders',
    { headers: { 'Content-Type': 'multipart/form-data' } },
    'Its body was multipart/form-data: JSON alone can be sent again.',
  ],
])('%s with %j is refused with a reason', (operation, input, reason) => {
  expect(requestFor(operation, input)).toBe(reason);
});
