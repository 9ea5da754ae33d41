import { expect, test } from 'vitest';
import { withExpressionWords } from './expression-words.ts';

test('quotes, operators and fields of an expression are distinguished from the texts around it', () => {
  const text = 'a = "input.age > 1"\nb = "x"';
  const tokens = [
    { kind: 'property', start: 0, end: 1 },
    { kind: 'variable', start: 5, end: 10 },
    { kind: 'property', start: 11, end: 14 },
    { kind: 'number', start: 17, end: 18 },
    { kind: 'property', start: 20, end: 21 },
    { kind: 'string', start: 24, end: 27 },
  ] as const;
  const shown = withExpressionWords(tokens, [{ start: 4, end: 19 }], text);
  expect(shown.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)).toEqual([
    'property a',
    'delimiter "',
    'variable input',
    'operator .',
    'field age',
    'operator  > ',
    'number 1',
    'delimiter "',
    'property b',
    'string "x"',
  ]);
});

test('the braces of a hole are delimiters', () => {
  const text = '"m:${ id }"';
  const tokens = [
    { kind: 'string', start: 0, end: 6 },
    { kind: 'variable', start: 6, end: 8 },
    { kind: 'string', start: 8, end: 11 },
  ] as const;
  const shown = withExpressionWords(tokens, [{ start: 3, end: 10 }], text);
  expect(shown.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)).toEqual([
    'string "m:',
    'delimiter ${',
    'variable id',
    'delimiter  }',
    'string "',
  ]);
});

test('names that an expression declares are parameters, words between operands are operators', () => {
  const text = '"a.map(i, 1 in i)"';
  const tokens = [
    { kind: 'variable', start: 1, end: 2 },
    { kind: 'method', start: 3, end: 6 },
    { kind: 'number', start: 10, end: 11 },
    { kind: 'parameter', start: 15, end: 16 },
  ] as const;
  const shown = withExpressionWords(tokens, [{ start: 0, end: 18 }], text);
  expect(shown.map(({ kind, start, end }) => `${kind} ${text.slice(start, end)}`)).toEqual([
    'delimiter "',
    'variable a',
    'operator .',
    'method map',
    'operator (',
    'parameter i',
    'operator , ',
    'number 1',
    'operator  in ',
    'parameter i',
    'operator )',
    'delimiter "',
  ]);
});
