import { CelError } from '../engine.ts';
import { spend, spendLength } from '../values/meter.ts';
import { firstOffset, offsets } from '../values/search.ts';
import { charactersOf, indexOf, lastIndexOf, lengthOf, sliceOf } from '../values/text.ts';
import { utf8Length } from '../values/utf8.ts';
import { listOf, outOfRange, textOf, wholeNumberOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';
import { format } from './format.ts';
import { quote } from './quote.ts';

/** A text an expression builds may have this many UTF-16 units. */
const longestText = 1 << 27;

/** Texts: the standard's methods, the public string extension, and the product's global forms. */
export const text: readonly FunctionDefinition[] = [
  {
    name: 'contains',
    group: 'text',
    signatures: ['string.contains(part: string) -> bool'],
    doc: 'Whether the text contains the part.',
    example: "'order-7'.contains('der')",
    method: (value, part) => firstOffset(textOf(value), textOf(part), 0) >= 0,
  },
  {
    name: 'startsWith',
    group: 'text',
    signatures: ['string.startsWith(prefix: string) -> bool'],
    doc: 'Whether the text starts with the prefix.',
    example: "'order-7'.startsWith('order')",
    method: (value, prefix) => textOf(value).startsWith(textOf(prefix)),
  },
  {
    name: 'endsWith',
    group: 'text',
    signatures: ['string.endsWith(suffix: string) -> bool'],
    doc: 'Whether the text ends with the suffix.',
    example: "'order-7'.endsWith('7')",
    method: (value, suffix) => textOf(value).endsWith(textOf(suffix)),
  },
  {
    name: 'charAt',
    group: 'text',
    signatures: ['string.charAt(index: int) -> string'],
    doc: 'The character at a position, counted from 0; an empty text at the very end.',
    example: "'abc'.charAt(1) == 'b'",
    method: (value, index) => {
      const whole = textOf(value);
      const at = wholeNumberOf(index);
      if (at < 0 || at > lengthOf(whole)) outOfRange(`position ${at} is outside the text`);
      return sliceOf(whole, at, at + 1);
    },
  },
  {
    name: 'indexOf',
    group: 'text',
    signatures: ['string.indexOf(part: string, from?: int) -> int'],
    doc: 'Position of the first occurrence, -1 when it does not occur.',
    example: "'banana'.indexOf('an', 2) == 3",
    method: (value, part, from) => {
      const whole = textOf(value);
      const start = from === undefined ? 0 : wholeNumberOf(from);
      if (start < 0 || start > lengthOf(whole)) outOfRange(`position ${start} is outside the text`);
      return BigInt(indexOf(whole, textOf(part), start));
    },
  },
  {
    name: 'lastIndexOf',
    group: 'text',
    signatures: ['string.lastIndexOf(part: string, from?: int) -> int'],
    doc: 'Position of the last occurrence, -1 when it does not occur.',
    example: "'banana'.lastIndexOf('an') == 3",
    method: (value, part, from) => {
      const whole = textOf(value);
      const length = lengthOf(whole);
      const start = from === undefined ? length : wholeNumberOf(from);
      if (start < 0 || start > length) outOfRange(`position ${start} is outside the text`);
      return BigInt(lastIndexOf(whole, textOf(part), start));
    },
  },
  {
    name: 'lowerAscii',
    group: 'text',
    signatures: ['string.lowerAscii() -> string'],
    doc: 'The text with A to Z in lower case; other letters stay.',
    example: "'ÄBC'.lowerAscii() == 'Äbc'",
    method: (value) => textOf(value).replace(/[A-Z]+/g, (letters) => letters.toLowerCase()),
  },
  {
    name: 'upperAscii',
    group: 'text',
    signatures: ['string.upperAscii() -> string'],
    doc: 'The text with a to z in upper case; other letters stay.',
    example: "'äbc'.upperAscii() == 'äBC'",
    method: (value) => textOf(value).replace(/[a-z]+/g, (letters) => letters.toUpperCase()),
  },
  {
    name: 'lower',
    group: 'text',
    dialect: 'product',
    signatures: ['lower(text: string) -> string'],
    doc: 'The text in lower case.',
    example: "lower('ÄBC') == 'äbc'",
    call: (value) => textOf(value).toLowerCase(),
  },
  {
    name: 'upper',
    group: 'text',
    dialect: 'product',
    signatures: ['upper(text: string) -> string'],
    doc: 'The text in upper case.',
    example: "upper('äbc') == 'ÄBC'",
    call: (value) => textOf(value).toUpperCase(),
  },
  {
    name: 'trim',
    group: 'text',
    signatures: ['string.trim() -> string', 'trim(text: string) -> string'],
    doc: 'The text without white space at both ends.',
    example: "'  a b '.trim() == 'a b'",
    call: trim,
    method: trim,
  },
  {
    name: 'replace',
    group: 'text',
    signatures: [
      'string.replace(old: string, new: string, limit?: int) -> string',
      'replace(text: string, old: string, new: string) -> string',
    ],
    doc: 'The text with every occurrence replaced, or the first `limit` ones. An empty `old` inserts between the characters.',
    example: "replace('a-b-c', '-', '+') == 'a+b+c'",
    call: (value, old, replacement) => replace(textOf(value), textOf(old), textOf(replacement), -1),
    method: (value, old, replacement, limit) =>
      replace(textOf(value), textOf(old), textOf(replacement), limit === undefined ? -1 : wholeNumberOf(limit)),
  },
  {
    name: 'split',
    group: 'text',
    signatures: [
      'string.split(separator: string, limit?: int) -> list(string)',
      'split(text: string, separator: string) -> list(string)',
    ],
    doc: 'The pieces between the separators, at most `limit` of them. An empty separator gives the characters.',
    example: "split('a,b', ',') == ['a', 'b']",
    call: (value, separator) => pieces(textOf(value), textOf(separator)),
    method: (value, separator, limit) =>
      split(textOf(value), textOf(separator), limit === undefined ? -1 : wholeNumberOf(limit)),
  },
  {
    name: 'substring',
    group: 'text',
    signatures: [
      'string.substring(start: int, end?: int) -> string',
      'substring(text: string, start: int, end: int) -> string',
    ],
    doc: 'The characters from `start` up to, not including, `end`. The function cuts positions to the text, the method refuses those outside.',
    example: "substring('hello', 1, 3) == 'el' && substring('hi', 0, 99) == 'hi'",
    call: (value, start, end) => {
      const whole = textOf(value);
      const length = lengthOf(whole);
      const [from, to] = [wholeNumberOf(start), wholeNumberOf(end)].map((at) => Math.min(Math.max(at, 0), length)) as [
        number,
        number,
      ];
      return from >= to ? '' : sliceOf(whole, from, to);
    },
    method: (value, start, end) => {
      const whole = textOf(value);
      const length = lengthOf(whole);
      const from = wholeNumberOf(start);
      const to = end === undefined ? length : wholeNumberOf(end);
      if (from < 0 || to > length || from > to) outOfRange(`${from} to ${to} is outside a text of ${length}`);
      return sliceOf(whole, from, to);
    },
  },
  {
    name: 'join',
    group: 'text',
    signatures: [
      'list(string).join(separator?: string) -> string',
      'join(list: list(string), separator: string) -> string',
    ],
    doc: 'The texts of a list in one, with the separator between them. Every element must be a text.',
    example: "join(['a', 'b'], '-') == 'a-b'",
    call: join,
    method: join,
  },
  {
    name: 'reverse',
    group: 'lists',
    signatures: ['string.reverse() -> string', 'list(A).reverse() -> list(A)', 'reverse(list: list(A)) -> list(A)'],
    doc: 'The elements of a list, or the characters of a text, backwards.',
    example: "reverse([1, 2]) == [2, 1] && 'abc'.reverse() == 'cba'",
    call: (value) => listOf(value).toReversed(),
    method: (value) =>
      typeof value === 'string' ? pieces(textOf(value), '').reverse().join('') : listOf(value).toReversed(),
  },
  {
    name: 'len',
    group: 'text',
    dialect: 'product',
    signatures: ['len(text: string) -> int'],
    doc: 'The number of bytes of the text in UTF-8. `size(text)` counts characters.',
    example: "len('grün') == 5",
    call: (value) => BigInt(utf8Length(textOf(value))),
  },
  {
    name: 'format',
    group: 'text',
    signatures: ['string.format(values: list(dyn)) -> string'],
    doc: 'The text with `%s`, `%d`, `%f`, `%.2f`, `%e`, `%b`, `%o`, `%x` and `%X` replaced by the values in turn.',
    example: "'%s: %.2f'.format(['total', 3.14159]) == 'total: 3.14'",
    method: (value, values) => format(textOf(value), listOf(values)),
  },
  {
    name: 'strings.quote',
    group: 'text',
    signatures: ['strings.quote(text: string) -> string'],
    doc: 'The text in double quotation marks, with escapes.',
    example: 'strings.quote(\'a"b\') == \'"a\\\\"b"\'',
    call: (value) => quote(textOf(value)),
  },
];

function trim(value: unknown): string {
  const whole = textOf(value);
  let start = 0;
  let end = whole.length;
  while (start < end && isBlank(whole.charAt(start))) start++;
  while (end > start && isBlank(whole.charAt(end - 1))) end--;
  return whole.slice(start, end);
}

/** Unicode white space: what JavaScript takes for it, with NEL and without the byte order mark. */
function isBlank(character: string): boolean {
  return character === '\u0085' || (character !== '\ufeff' && character.trim() === '');
}

function join(list: unknown, separator: unknown = ''): string {
  const texts = listOf(list).map(textOf);
  const between = textOf(separator);
  spendLength(texts.length * between.length);
  return texts.join(between);
}

function pieces(whole: string, separator: string): string[] {
  if (separator === '') {
    spend(whole.length);
    return charactersOf(whole);
  }
  const found: string[] = [];
  let start = 0;
  for (const at of offsets(whole, separator, 0)) {
    found.push(whole.slice(start, at));
    start = at + separator.length;
  }
  spend(found.length);
  found.push(whole.slice(start));
  return found;
}

function split(whole: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const all = pieces(whole, separator);
  return limit < 0 || all.length <= limit ? all : [...all.slice(0, limit - 1), all.slice(limit - 1).join(separator)];
}

function replace(whole: string, old: string, replacement: string, limit: number): string {
  const places = old === '' ? between(whole, limit) : occurrences(whole, old, limit);
  const length = whole.length + places.length * (replacement.length - old.length);
  if (length > longestText) throw new CelError('cost-limit', 'the replaced text would be too long');
  spend(places.length);
  spendLength(length);
  let result = '';
  let at = 0;
  for (const place of places) {
    result += whole.slice(at, place) + replacement;
    at = place + old.length;
  }
  return result + whole.slice(at);
}

function occurrences(whole: string, part: string, limit: number): number[] {
  const places: number[] = [];
  if (limit === 0) return places;
  for (const at of offsets(whole, part, 0)) if (places.push(at) === limit) break;
  return places;
}

/** Before, between and after the characters. */
function between(whole: string, limit: number): number[] {
  const places: number[] = [];
  let at = 0;
  for (const character of charactersOf(whole)) {
    places.push(at);
    at += character.length;
  }
  places.push(at);
  return limit < 0 ? places : places.slice(0, limit);
}
