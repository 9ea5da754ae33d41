import type { CompletionItem } from '@svc/protocol/language';
import { expect, test } from 'vitest';
import { asks, fitting, taken } from './suggestions.ts';

const item = (label: string, start: number, end: number, snippet?: string): CompletionItem => ({
  label,
  kind: 'field',
  detail: '',
  doc: undefined,
  edit: { range: { start, end }, text: label },
  snippet,
  rank: 0,
});

test('what begins with the word precedes what contains it', () => {
  const items = ['subtotal', 'total', 'id'].map((label) => item(label, 6, 8));
  expect(fitting(items, 'input.to', 8).map(({ label }) => label)).toEqual(['total', 'subtotal']);
});

test('a complete word asks for nothing more', () => {
  expect(fitting([item('id', 6, 8)], 'input.id', 8)).toEqual([]);
});

test('a function is taken with the caret in its brackets', () => {
  expect(taken(item('size', 0, 2, 'size($0)'), 'si > 1')).toEqual({ text: 'size() > 1', caret: 5 });
  expect(taken(item('total', 6, 8), 'input.to')).toEqual({ text: 'input.total', caret: 11 });
});

test('words and dots ask, numbers and spaces do not', () => {
  expect(['input.', 'in', 'a).', '1', 'a ', '1.', ''].map((text) => asks(text, text.length))).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});
