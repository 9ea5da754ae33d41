import { expect, test } from 'vitest';
import { answerBudget } from '../budget.ts';
import type { ReadingStyle, WritingStyle } from './file-format.ts';
import { csv, tsv } from './table.ts';

async function* source(text: string) {
  for (const byte of Buffer.from(text)) yield Uint8Array.of(byte);
}
const rowsOf = async (text: string, style: ReadingStyle = {}, format = csv) => {
  const rows: unknown[] = [];
  for await (const row of format.rows(source(text), style)) rows.push(row);
  return rows;
};
const written = async (value: unknown, style: Partial<WritingStyle> = {}) => {
  let text = '';
  for await (const piece of csv.pieces(value, { escapeFormulas: true, ...style })) text += piece;
  return text;
};

test('short rows are filled up, a byte order mark and lone quotes are read', async () => {
  expect(await rowsOf('\ufeffa,b,c\n1\n5" pipe,"x"y,z\n')).toEqual([
    { a: '1', b: '', c: '' },
    { a: '5" pipe', b: '"x"y', c: 'z' },
  ]);
  expect(await rowsOf('a\tb\n1\n', {}, tsv)).toEqual([{ a: '1', b: '' }]);
});

test('a row that is longer than the header is refused', async () => {
  await expect(rowsOf('a\n1\n1,2\n')).rejects.toMatchObject({
    code: 'body_undecodable',
    message: 'row 2 has 2 fields, but the header has 1',
  });
});

test('equal and empty names of columns become different ones', async () => {
  expect(await rowsOf('a,,a,a_2,\n1,2,3,4,5\n')).toEqual([
    { a: '1', column_2: '2', a_3: '3', a_2: '4', column_5: '5' },
  ]);
  expect(await rowsOf('id,id,id\n1,2,3\n')).toEqual([{ id: '1', id_2: '2', id_3: '3' }]);
});

test('a style of each kind', async () => {
  const text = 'report\n# a note\nx; y\n 1 ;2#\n';
  const style = { delimiter: ';', comment: '#', skipRows: 1, trimSpace: true };
  expect(await rowsOf(text, style)).toEqual([{ x: '1', y: '2#' }]);
  expect(await rowsOf('1,2\n3\n', { noHeader: true })).toEqual([{ column_1: '1', column_2: '2' }, { column_1: '3' }]);
  expect(await rowsOf('1,2\n3\n', { noHeader: true, columns: ['a', 'b'] })).toEqual([
    { a: '1', b: '2' },
    { a: '3', b: '' },
  ]);
  expect(await rowsOf('1,2\n3\n', { columns: ['a', 'b'] })).toEqual([{ a: '3', b: '' }]);
});

test('S-55: formulas are neutral in every cell and name, unless they are asked for', async () => {
  expect(await written([{ '=a': '=1', b: '-1' }])).toBe("'=a,b\r\n'=1,-1\r\n");
  expect(await written([{ a: '@x' }], { columns: ['a', '+b'] })).toBe("a,'+b\r\n'@x,\r\n");
  expect(await written([{ a: '=1' }], { escapeFormulas: false })).toBe('a\r\n=1\r\n');
  expect(await written([{ a: '=1;2' }], { delimiter: ';', noHeader: true })).toBe('"\'=1;2"\r\n');
});

test('A-06: a wide header over many short rows is refused before it takes memory', async () => {
  const header = Array.from({ length: 16_000 }, (_, at) => `c${at}`).join();
  const text = `${header}\n${'1\n'.repeat(1_000)}`;
  await expect(rowsOf(text)).rejects.toMatchObject({
    code: 'body_undecodable',
    message: 'the rows of the table are far shorter than its header',
  });
  await expect(rowsOf(text, { budget: { ...answerBudget, values: 50_000 } })).rejects.toMatchObject({
    code: 'body_too_large',
  });
});

test('the columns of a file that is continued are those that its rows have', async () => {
  expect(await csv.columns?.(source('a,,a\n1,2,3\n'), {})).toEqual(['a', 'column_2', 'a_2']);
  expect(await csv.columns?.(source(''), {})).toBeUndefined();
  await expect(async () => written([{ c: 1 }], { columns: ['a'], continuing: true })).rejects.toMatchObject({
    code: 'value_refused',
    message: 'the file has no column "c": it has a',
  });
});
