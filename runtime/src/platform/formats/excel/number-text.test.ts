import { expect, test } from 'vitest';
import { type NumberKind, numberText } from './number-text.ts';
import { kindOf } from './styles.ts';

test.each([
  ['0', '0'],
  ['007', '007'],
  ['1.10', '1.1'],
  ['0.1', '0.1'],
  ['0.30000000000000004', '0.3'],
  ['-1.5E-7', '-0.00000015'],
  ['1E+25', '10000000000000000000000000'],
  ['1.25e22', '12500000000000000000000'],
  ['12345678901234567', '12345678901234567'],
  ['1e999', '1e999'],
  ['word', 'word'],
  [' 5 ', '5'],
])('the number %s is %s', (written, text) => {
  expect(numberText(written, 'number', false)).toBe(text);
});

test.each<[string, NumberKind, boolean, string]>([
  ['1', 'date', false, '1900-01-01'],
  ['59', 'date', false, '1900-02-28'],
  ['61', 'date', false, '1900-03-01'],
  ['2958465', 'date', false, '9999-12-31'],
  ['2958465.9999999999', 'date-time', false, '2958466'],
  ['46082', 'date-time', false, '2026-03-01T00:00:00'],
  ['46082.0000115741', 'date', false, '2026-03-01T00:00:01'],
  ['46082.00000578703', 'date-time', false, '2026-03-01T00:00:00.500'],
  ['0', 'date', true, '1904-01-01'],
  ['0.5', 'time', false, '12:00:00'],
  ['1.5', 'time', false, '1900-01-01T12:00:00'],
  ['2.0625', 'elapsed', false, '49:30:00'],
  ['-2.5', 'elapsed', false, '-2.5'],
])('%s as %s (from 1904: %s) is %s', (written, kind, is1904, text) => {
  expect(numberText(written, kind, is1904)).toBe(text);
});

test.each<[string, NumberKind]>([
  ['General', 'number'],
  ['0.00E+00', 'number'],
  ['#,##0.00 [$€-407];[Red]-#,##0.00', 'number'],
  ['"day" 0', 'number'],
  ['0\\d', 'number'],
  ['dd/mm/yyyy', 'date'],
  ['mmm', 'date'],
  ['[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy', 'date'],
  ['h:mm AM/PM', 'time'],
  ['mm:ss.0', 'time'],
  ['yyyy-mm-dd"T"hh:mm', 'date-time'],
  ['[hh]:mm', 'elapsed'],
  ['[Red][h]', 'elapsed'],
])('the format %s shows a %s', (code, kind) => {
  expect(kindOf(code)).toBe(kind);
});
