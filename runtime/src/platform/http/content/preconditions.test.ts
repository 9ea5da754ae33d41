import { describe, expect, test } from 'vitest';
import { isRangeWanted, preconditionOf } from './preconditions.ts';

const date = 'Sun, 06 Nov 1994 08:49:37 GMT';
const before = 'Sun, 06 Nov 1994 08:49:36 GMT';
const after = 'Sun, 06 Nov 1994 08:49:38 GMT';
const modified = Date.parse(date) / 1000;
const strong = { etag: '"a"', modified };
const weak = { etag: 'W/"a"', modified };

describe('conditions of a request', () => {
  test.each([
    ['none', {}, 'met'],
    ['the version that it has', { 'if-none-match': '"a"' }, 'not_modified'],
    ['one of those that it has', { 'if-none-match': '"x", W/"a" ,"y"' }, 'not_modified'],
    ['any version', { 'if-none-match': '*' }, 'not_modified'],
    ['another one', { 'if-none-match': '"b"' }, 'met'],
    ['a tag without quotes', { 'if-none-match': 'a' }, 'met'],
    ['not modified since', { 'if-modified-since': date }, 'not_modified'],
    ['modified since', { 'if-modified-since': before }, 'met'],
    ['the tag decides before the date', { 'if-none-match': '"b"', 'if-modified-since': date }, 'met'],
    ['a date in the long form', { 'if-modified-since': 'Sunday, 06-Nov-94 08:49:37 GMT' }, 'not_modified'],
    ['a date in the form of C', { 'if-modified-since': 'Sun Nov  6 08:49:37 1994' }, 'not_modified'],
    ['a malformed date', { 'if-modified-since': 'yesterday' }, 'met'],
    ['a date that does not exist', { 'if-modified-since': 'Sun, 99 Nov 1994 08:49:37 GMT' }, 'met'],
    ['this version or none', { 'if-match': '"a"' }, 'met'],
    ['any version or none', { 'if-match': '*' }, 'met'],
    ['another version or none', { 'if-match': '"b"' }, 'failed'],
    ['unmodified since', { 'if-unmodified-since': date }, 'met'],
    ['unmodified since before', { 'if-unmodified-since': before }, 'failed'],
    ['the tag decides before that date', { 'if-match': '"a"', 'if-unmodified-since': before }, 'met'],
    ['both', { 'if-match': '"a"', 'if-none-match': '"a"' }, 'not_modified'],
  ] as const)('%s', (_, headers, expected) => {
    expect(preconditionOf(headers, strong)).toBe(expected);
  });

  test('a weak tag tells versions, but not bytes', () => {
    expect(preconditionOf({ 'if-none-match': '"a"' }, weak)).toBe('not_modified');
    expect(preconditionOf({ 'if-match': 'W/"a"' }, weak)).toBe('failed');
  });

  test('without a tag or a time, nothing is the same', () => {
    const unknown = { etag: undefined, modified: undefined };
    expect(preconditionOf({ 'if-none-match': '"a"' }, unknown)).toBe('met');
    expect(preconditionOf({ 'if-modified-since': after }, unknown)).toBe('met');
    expect(preconditionOf({ 'if-match': '"a"' }, unknown)).toBe('failed');
    expect(preconditionOf({ 'if-unmodified-since': before }, unknown)).toBe('met');
  });
});

describe('a range of the version that the caller has', () => {
  const now = modified + 60;
  test.each([
    [undefined, strong, true],
    ['"a"', strong, true],
    ['"b"', strong, false],
    ['W/"a"', weak, false],
    [date, strong, true],
    [before, strong, false],
    [after, strong, false],
    ['yesterday', strong, false],
  ] as const)('%s', (written, validators, expected) => {
    expect(isRangeWanted(written, validators, now)).toBe(expected);
  });

  test('a time of the running second tells no version', () => {
    expect(isRangeWanted(date, strong, modified)).toBe(false);
  });
});
