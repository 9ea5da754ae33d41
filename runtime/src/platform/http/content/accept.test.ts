import { expect, test } from 'vitest';
import { accepted } from './accept.ts';

const offers = ['application/json', 'text/json', 'application/xml', 'text/csv'] as const;

test.each([
  [undefined, 'application/json'],
  ['', 'application/json'],
  ['*/*', 'application/json'],
  ['text/csv', 'text/csv'],
  ['TEXT/CSV', 'text/csv'],
  ['text/*', 'text/json'],
  ['text/html, application/xml;q=0.9, */*;q=0.8', 'application/xml'],
  ['application/json;q=0.5, text/csv;q=0.6', 'text/csv'],
  ['application/json;q=0.5,text/csv ; Q=0.50', 'application/json'],
  ['application/json;q=0, */*', 'text/json'],
  ['application/*;q=0, text/json;q=0, */*', 'text/csv'],
  ['text/*;q=0.3, text/csv;q=0.7', 'text/csv'],
  ['text/csv;q=0, text/*', 'text/json'],
  ['text/csv;charset="a,b;q=0";q=1', 'text/csv'],
  ['text/csv;charset="a\\",b";q=1, image/png', 'text/csv'],
  ['image/png', undefined],
  ['*/*;q=0', undefined],
  ['application/json;q=0', undefined],
  ['application/vnd.api+json', undefined],
  ['application/json;version=2', 'application/json'],
  ['application/json;q=2', 'application/json'],
  ['application/json;q=abc, text/csv', 'text/csv'],
  ['*/json', 'application/json'],
  ['json', 'application/json'],
  [',,,', 'application/json'],
  [`text/csv;a="${'x'.repeat(8000)}`, 'text/csv'],
  ['text/csv;q=0.1, text/csv;q=0.9, application/json;q=0.5', 'text/csv'],
])('%j takes %s', (header, taken) => {
  expect(accepted(header, offers)).toBe(taken);
});

test('A-06: of a header with very many ranges, the first ones are read', () => {
  const many = Array.from({ length: 64 }, (_, at) => `a/b${at}`).join();
  expect(accepted(`${many},text/csv`, offers)).toBeUndefined();
  expect(accepted(`text/csv,${many}`, offers)).toBe('text/csv');
});
