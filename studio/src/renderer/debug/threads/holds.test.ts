import { expect, test } from 'vitest';
import { heldBy } from './holds.ts';

test('what a thread holds up is one sentence', () => {
  const request = { kind: 'request', method: 'POST', route: '/orders' } as const;
  expect(heldBy(request, 0)).toEqual({
    icon: 'hourglass',
    text: 'HTTP caller of POST /orders waits',
    spent: undefined,
  });
  expect(heldBy({ ...request, timeoutMs: 30_000 }, 12_000_000)).toEqual({
    icon: 'hourglass',
    text: '18.0 s left to run, HTTP caller of POST /orders waits',
    spent: 0.4,
  });
  expect(heldBy({ ...request, route: 'Query.order', asked: '{"id":"4"}' }, 0).text).toBe(
    'HTTP caller of Query.order with {"id":"4"} (POST) waits',
  );
  const message = { kind: 'message', connector: 'broker', source: 'orders.created', id: 'm1', sinceMs: 0 } as const;
  expect(heldBy({ ...message, waiting: 37 }, 0).text).toBe('orders.created: 1 unacked, 37 wait behind it');
});
