import { describe, expect, test } from 'vitest';
import type { KeyPart } from '../../../foundation/contracts/kept-answers.ts';
import { globMatches } from '../../../platform/sync/glob.ts';
import { confusion, globOf, piecesOf } from './key-shape.ts';

const value = (expression: string): KeyPart => ({ expression, holds: 'value' });
const text: KeyPart = { expression: 'input.x', holds: 'text' };

/** The values in a key; undefined for another key. */
const valuesIn = (parts: readonly KeyPart[], key: string) =>
  piecesOf(parts, key)
    ?.filter(({ from }) => from.length > 0)
    .map((piece) => piece.text);

describe('keys of a flow', () => {
  test.each<[readonly KeyPart[], string, readonly string[] | undefined]>([
    [['order:', value('a')], 'order:7', ['7']],
    [['order:', value('a')], 'order:', ['']],
    [['order:', value('a')], 'orders:7', undefined],
    [['order:', value('a')], 'order:7:8', undefined],
    [['order:', value('a'), ':', value('b')], 'order:7:8', ['7', '8']],
    [['a-', value('a'), '-', value('b')], 'a-1-2-3', ['1', '2-3']],
    [['a-', value('a'), '-z'], 'a-1-z-z', ['1-z']],
    [['a-', value('a'), '-z'], 'a-z', undefined],
    [['list'], 'list', []],
    [['list'], 'lists', undefined],
    [[value('a')], 'idempotency:f:1', undefined],
    [['user ', text], 'user a:b*c', ['a:b*c']],
    [['x:', value('a'), value('b')], 'x:12', ['12']],
    [['x:', value('a')], 'x:a\nb</script>', ['a\nb</script>']],
  ])('%j in %j', (parts, key, expected) => {
    expect(valuesIn(parts, key)).toEqual(expected);
    if (expected !== undefined) expect(globMatches(globOf(parts), key)).toBe(true);
  });

  test('a hostile key of a megabyte is judged in one pass', () => {
    // Work that grows with the square of its length would not end.
    const parts = ['-', value('a'), '-', value('b'), '-', value('c'), '-', value('d'), '!'];
    expect(piecesOf(parts, '-'.repeat(1_000_000))).toBeUndefined();
    expect(piecesOf(parts, `${'-'.repeat(1_000_000)}!`)?.length).toBe(9);
  });

  test('characters of globs in a key are what they are', () => {
    expect(globOf(['a*[b]?', value('x')])).toBe('a\\*\\[b\\]\\?*');
  });
});

test('keys that entries of others may look like are recognised', () => {
  expect(confusion(['order:', value('a')])).toBeUndefined();
  expect(confusion([value('a')])).toBeUndefined();
  expect(confusion([value('a'), ':', value('b')])).toContain('its keys begin with a value');
  expect(confusion([text])).toContain('its keys begin with a value');
});
