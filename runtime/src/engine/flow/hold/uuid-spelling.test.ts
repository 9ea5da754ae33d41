import { describe, expect, test } from 'vitest';
import { foldUuids, isKeptSpelling, keptSpellings } from './uuid-spelling.ts';

const id = 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11';
const digits = id.replaceAll('-', '');
const spellings = [
  id,
  id.toUpperCase(),
  `{${id}}`,
  digits,
  digits.toUpperCase(),
  'a0ee-BC99-9c0b-4ef8-bb6d-6bb9-bd38-0a11',
];

describe('spellings of a UUID', () => {
  test('are one key of locks and permits, anywhere in the key', () => {
    expect(new Set(spellings.map((each) => foldUuids(`a:${each}:b`)))).toEqual(new Set([`a:${id}:b`]));
  });

  test('are at most two keys under which answers are kept, and both are dropped by each', () => {
    expect(spellings.filter(isKeptSpelling)).toEqual([id, digits]);
    for (const each of spellings) expect(keptSpellings(`order:${each}`)).toEqual([`order:${id}`, `order:${digits}`]);
  });

  test.each(['', 'order:5', 'x'.repeat(5000), `${digits}0`, `x${digits}`, 'D41D8CD98F00B204'])(
    'no other text is changed: %s',
    (text) => {
      expect([foldUuids(text), isKeptSpelling(text), keptSpellings(text)]).toEqual([text, true, [text]]);
    },
  );
});
