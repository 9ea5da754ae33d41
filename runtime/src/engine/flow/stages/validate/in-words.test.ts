import { expect, test } from 'vitest';
import { fieldInWords } from './in-words.ts';

test.each([
  ['integer', { min: '1', max: '1000' }, 'int, 1–1000'],
  ['integer', {}, 'int'],
  ['number', { min: '0' }, 'number, at least 0'],
  ['number', { max: '9.5', required: 'false' }, 'number?, at most 9.5'],
  ['string', { min_length: '1', max_length: '200' }, 'string, 1–200 characters'],
  ['string', { min_length: '2', max_length: '2' }, 'string, 2 characters'],
  ['string', { format: '"email"', required: 'true' }, 'string, email'],
  ['string', { enum: '["book", "record"]', default: '"book"' }, 'string, one of "book", "record", default "book"'],
  ['string', { pattern: '"^[A-Z]{2}$"' }, 'string, matches "^[A-Z]{2}$"'],
  ['string', { max_length: 'constants.most' }, 'string, at most constants.most characters'],
  ['array', { items: '"line"', min_length: '1' }, 'list of line, at least 1 element'],
  ['array', { items: '"integer"' }, 'list of int'],
  ['boolean', { validator: '"even"' }, 'bool, checked by even'],
])('%s with %o is %s', (type, constraints, expected) => {
  expect(fieldInWords(type, new Map(Object.entries(constraints)))).toBe(expected);
});

test('what is long is cut', () => {
  const many = `[${Array.from({ length: 40 }, (_, index) => `"value ${index}"`).join(', ')}]`;
  expect(fieldInWords('string', new Map([['enum', many]]))).toMatch(/^string, one of "value 0".{40,60}…$/);
});
