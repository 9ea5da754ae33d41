import { expect, test } from 'vitest';
import { clockTime, groupedDigits, isSameValue, preview, readLiteral, shownDuration } from './values.ts';

test('values are previewed as CEL writes them, never longer than asked', () => {
  expect(preview({ sku: 'KB-204', qty: 1, price: 89.5 })).toBe('{sku: "KB-204", qty: 1, price: 89.5}');
  expect(preview([[['deep', 'er']], null, true])).toBe('[[["deep", "er"]], null, true]');
  expect(preview({ 'content-type': '***' })).toBe('{"content-type": ••••••••}');
  const long = preview(Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`key${index}`, 'x'.repeat(50)])));
  expect(long.length).toBeLessThanOrEqual(60);
});

test('a new value is JSON or a literal of CEL', () => {
  const read = ['12', '"a"', "'it\\'s \"so\"'", '{"a": [1]}', ' null '].map(readLiteral);
  expect(read).toEqual([12, 'a', 'it\'s "so"', { a: [1] }, null]);
  expect(() => readLiteral('input.id')).toThrow(
    'input.id is not a value: write JSON, such as "text", 12, true or {"a": 1}.',
  );
});

test('equal values are the same whatever the order of names', () => {
  expect(isSameValue({ a: 1, b: [2] }, { b: [2], a: 1 })).toBe(true);
  expect(isSameValue([1, 2], [2, 1])).toBe(false);
  expect(isSameValue([], {})).toBe(false);
});

test('durations are short and have their unit', () => {
  expect([44, 1800, 41_200, 250_000, 12_000_000].map(shownDuration)).toEqual([
    '0.04 ms',
    '1.80 ms',
    '41.2 ms',
    '250 ms',
    '12.0 s',
  ]);
});

test('counts are grouped, and moments of the day are two digits each', () => {
  expect([0, 999, 1000, 12_345, 1_234_567].map(groupedDigits)).toEqual([
    '0',
    '999',
    '1\u2009000',
    '12\u2009345',
    '1\u2009234\u2009567',
  ]);
  expect(clockTime(new Date(2026, 1, 3, 4, 5, 6).getTime())).toBe('04:05:06');
});
