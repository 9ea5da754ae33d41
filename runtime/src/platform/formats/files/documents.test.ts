import { describe, expect, test } from 'vitest';
import { answerBudget } from '../budget.ts';
import type { FileFormat, ReadingStyle } from './file-format.ts';
import { fileFormatNames } from './names.ts';
import { fileFormatOf, formatOfFile } from './registry.ts';

async function* byteByByte(text: string) {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}
const rowsOf = async (format: FileFormat, text: string, style: ReadingStyle = {}) => {
  const rows: unknown[] = [];
  for await (const row of format.rows(byteByByte(text), style)) rows.push(row);
  return rows;
};
const written = async (format: FileFormat, value: unknown) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of format.pieces(value, { escapeFormulas: true })) pieces.push(Buffer.from(piece));
  return Buffer.concat(pieces);
};

describe('every format of files', () => {
  const value = [
    { a: 'x', b: 'é' },
    { a: '=y', b: '2' },
  ];
  const tables = ['json', 'ndjson', 'csv', 'tsv', 'excel'] as const;

  test.each(tables)('%s: rows come back as they were written', async (name) => {
    const format = await fileFormatOf(name);
    const rows: unknown[] = [];
    const bytes = await written(format, value);
    for await (const row of format.rows(
      (async function* () {
        yield bytes;
      })(),
      {},
    ))
      rows.push(row);
    const escaped = name === 'csv' || name === 'tsv' ? "'=y" : '=y';
    expect(rows).toEqual([value[0], { a: escaped, b: '2' }]);
  });

  test.each(fileFormatNames)('%s: what is not UTF-8, or ends early, is an error of the caller', async (name) => {
    const format = await fileFormatOf(name);
    const read = async () => {
      for await (const _ of format.rows(
        (async function* () {
          yield Uint8Array.of(0x22, 0xff, 0xfe, 0x22);
        })(),
        {},
      ));
    };
    if (name === 'binary') await read();
    else await expect(read()).rejects.toMatchObject({ code: 'body_undecodable' });
  });

  test('the ending of a name says the format, in any case', () => {
    expect(['a.XLSX', 'b.xls', 'c.jsonl', 'd.tab', 'e.csv.gz', 'f', 'g.md'].map(formatOfFile)).toEqual([
      'excel',
      'excel',
      'ndjson',
      'tsv',
      undefined,
      undefined,
      'text',
    ]);
  });
});

describe('json', () => {
  test.each<[string, unknown[]]>([
    ['\ufeff [ {"a":"],[\\\\\\""} , 1,[2] ] \n', [{ a: '],[\\"' }, { value: 1 }, { value: [2] }]],
    ['{"a":1}', [{ a: 1 }]],
    ['"x"', [{ value: 'x' }]],
    ['[]', []],
  ])('%s', async (text, rows) => {
    expect(await rowsOf(await fileFormatOf('json'), text)).toEqual(rows);
  });

  test.each([
    ['', 'the file is not valid JSON: it is empty'],
    ['[1', 'the file is not valid JSON: its list has no end'],
    ['[1,]', 'the file is not valid JSON: item 2 is empty'],
    ['[1] 2', 'the file is not valid JSON: something follows its list'],
  ])('%s is refused', async (text, message) => {
    await expect(rowsOf(await fileFormatOf('json'), text)).rejects.toMatchObject({ code: 'body_undecodable', message });
  });

  test.each(['[1 2]', '[{]}]', '[}]', '{"a":1} x', '[01]'])('%s is refused too', async (text) => {
    await expect(rowsOf(await fileFormatOf('json'), text)).rejects.toMatchObject({ code: 'body_undecodable' });
  });
});

describe('lines', () => {
  test('JSON Lines: a line that is wrong is named', async () => {
    const format = await fileFormatOf('ndjson');
    expect(await rowsOf(format, '{"a":1}\r\n\n 2 \n"é"')).toEqual([{ a: 1 }, { value: 2 }, { value: 'é' }]);
    await expect(rowsOf(format, '{}\n{"a":}\n')).rejects.toMatchObject({
      code: 'body_undecodable',
      message: expect.stringMatching(/^line 2 is not valid JSON/),
    });
  });

  test('texts: numbered lines, and all of it', async () => {
    expect(await rowsOf(await fileFormatOf('lines'), 'a\r\nb\rc\n\nd')).toEqual(
      ['a', 'b', 'c', '', 'd'].map((content, at) => ({ line: at + 1, content })),
    );
    expect(await rowsOf(await fileFormatOf('text'), 'a\nb')).toEqual([{ content: 'a\nb' }]);
  });

  test('a line without an end, and rows beyond a budget, are refused', async () => {
    const endless = async function* () {
      for (let count = 0; count < 20; count++) yield Buffer.alloc(100_000, 'x');
    };
    for (const name of ['ndjson', 'lines'] as const)
      await expect(async () => {
        for await (const _ of (await fileFormatOf(name)).rows(endless(), {}));
      }).rejects.toMatchObject({ code: 'body_too_large' });
    const budget = { ...answerBudget, values: 5 };
    for (const [name, text] of [
      ['ndjson', '[1,2]\n[3,4]\n'],
      ['json', '[[1,2],[3,4]]'],
      ['lines', 'a\nb\nc\n'],
    ] as const)
      await expect(rowsOf(await fileFormatOf(name), text, { budget })).rejects.toMatchObject({
        code: 'body_too_large',
      });
  });
});
