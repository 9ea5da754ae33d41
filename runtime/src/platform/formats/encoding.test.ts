import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeUtf8 } from './encoding.ts';

const wrong = (at: number, message: string) => ({
  at,
  message,
  code: 'syntax-encoding',
  help: 'Save the file as UTF-8.',
});
const bytes = (text: string, encoding: BufferEncoding = 'latin1') => Buffer.from(text, encoding);

describe('the first byte that is not UTF-8 is found', () => {
  test.each<[string, Uint8Array, object]>([
    [
      'a Latin-1 letter',
      bytes('a = "caf\xe9"'),
      { text: 'a = "caf\ufffd"', unreadable: wrong(8, 'The byte E9 is not UTF-8') },
    ],
    [
      'behind letters of two bytes',
      bytes('\xc3\xa9\n\xe9'),
      { text: '\u00e9\n\ufffd', unreadable: wrong(2, 'The byte E9 is not UTF-8') },
    ],
    ['a sequence cut short', bytes('x\xe2\x82'), { text: 'x\ufffd', unreadable: wrong(1, 'The byte E2 is not UTF-8') }],
    [
      'a sequence that another byte ends',
      bytes('\xef\xbfA'),
      { text: '\ufffdA', unreadable: wrong(0, 'The byte EF is not UTF-8') },
    ],
    [
      'an encoding that is too long',
      bytes('\xc0\xaf'),
      { text: '\ufffd\ufffd', unreadable: wrong(0, 'The byte C0 is not UTF-8') },
    ],
    [
      'half a surrogate pair',
      bytes('\xed\xa0\x80'),
      { text: '\ufffd\ufffd\ufffd', unreadable: wrong(0, 'The byte ED is not UTF-8') },
    ],
    ['a replacement character that is written', bytes('\ufffd\u00e9', 'utf8'), { text: '\ufffd\u00e9' }],
    [
      'behind a written replacement character',
      bytes('\xef\xbf\xbd\xff'),
      { text: '\ufffd\ufffd', unreadable: wrong(1, 'The byte FF is not UTF-8') },
    ],
    ['a byte order mark', bytes('\ufeffa', 'utf8'), { text: '\ufeffa' }],
    ['nothing', bytes(''), { text: '' }],
    [
      'UTF-16, little end first',
      bytes('\ufeffa = 1\n', 'utf16le'),
      { text: 'a = 1\n', unreadable: wrong(0, 'The file is written in UTF-16, and must be in UTF-8') },
    ],
    [
      'UTF-16, big end first',
      bytes('\xfe\xff\0a'),
      { text: 'a', unreadable: wrong(0, 'The file is written in UTF-16, and must be in UTF-8') },
    ],
  ])('%s', (_, given, expected) => {
    expect(decodeUtf8(given)).toEqual(expected);
  });
});

test('bytes without a problem are those of the text, and bytes with one are not', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (given) => {
      const { text, unreadable } = decodeUtf8(given);
      expect(Buffer.from(text, 'utf8').equals(given)).toBe(unreadable === undefined);
    }),
    { numRuns: 3000 },
  );
});
