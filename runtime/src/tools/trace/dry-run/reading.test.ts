import { expect, test } from 'vitest';
import type { CallDescription } from '../../../foundation/contracts/target.ts';
import { isReading } from './reading.ts';

const effect = () => undefined;

const call = (words: Partial<CallDescription>) => ({
  verb: 'read' as const,
  operation: undefined,
  query: undefined,
  target: undefined,
  ...words,
});

test.each<[Partial<CallDescription>, boolean]>([
  [{ verb: 'read', target: 'orders' }, true],
  [{ verb: 'create', target: 'orders' }, false],
  [{ verb: 'update', target: 'orders' }, false],
  [{ verb: 'delete', target: 'orders' }, false],
  [{ verb: 'read', operation: 'POST /search' }, false],
  [{ verb: 'read', operation: 'POST', target: '/search' }, false],
  [{ verb: 'read', target: 'DELETE /orders/1' }, false],
  [{ verb: 'read', target: 'delete' }, true],
  [{ verb: 'create', operation: 'GET /orders' }, true],
  [{ verb: 'create', operation: 'SELECT' }, true],
  [{ verb: 'read', operation: 'INSERT' }, false],
  [{ verb: 'call', operation: 'GET /orders/:id' }, true],
  [{ verb: 'call', operation: 'QUERY /orders' }, true],
  [{ verb: 'call', operation: 'chargeCard' }, false],
  [{ verb: 'call', operation: '/orders' }, false],
])('%j reads: %s', (words, reads) => {
  expect(isReading(call(words), { getsByDefault: false, runs: false, effect })).toBe(reads);
});

test('a call without a method reads when its default method is GET', () => {
  expect(isReading(call({ verb: 'call', operation: '/orders' }), { getsByDefault: true, runs: false, effect })).toBe(
    true,
  );
  expect(
    isReading(call({ verb: 'call', operation: 'POST /orders' }), { getsByDefault: true, runs: false, effect }),
  ).toBe(false);
});

test.each<[string, boolean]>([
  ['SELECT * FROM orders WHERE note = :note', true],
  ['  -- all of them\n select 1', true],
  ['/* delete */ SELECT 1', true],
  ['SELECT \'delete\', "update" FROM `insert`', true],
  ['SELECT deleted, updated_at FROM orders FOR UPDATE', true],
  ['WITH a AS (SELECT 1) SELECT * FROM a', true],
  ['WITH gone AS (DELETE FROM orders RETURNING id) SELECT * FROM gone', false],
  ['SELECT 1; DROP TABLE orders', false],
  ['SELECT * INTO copy FROM orders', false],
  ['INSERT INTO orders VALUES (1)', false],
  ['UPDATE orders SET a = 1', false],
  ['EXPLAIN ANALYZE DELETE FROM orders', false],
  ['PRAGMA user_version = 3', false],
  ['call settle()', false],
  ['{"status": "open"}', true],
  ['[{"$match": {}}, {"$out": "copy"}]', false],
])('the query %j reads: %s', (query, reads) => {
  expect(isReading(call({ query }), { getsByDefault: false, runs: false, effect })).toBe(reads);
});

test('a filter does not turn a write into a read', () => {
  expect(
    isReading(call({ verb: 'delete', query: '{"status": "open"}' }), { getsByDefault: false, runs: false, effect }),
  ).toBe(false);
});

test('a call that runs something counts as a change, whatever its words and its flow say', () => {
  const known = { getsByDefault: true, runs: true, effect: () => 'reads' as const };
  const calls = [call({ verb: 'read' }), call({ verb: 'call', operation: 'GET /a' }), call({ operation: 'SELECT' })];
  expect(calls.map((each) => isReading(each, known))).toEqual([false, false, false]);
});
