import { expect, test } from 'vitest';
import { answerBudget } from '../budget.ts';
import { bookOf, textRow } from '../excel/testing/package.ts';
import { excel } from './excel.ts';
import type { ReadingStyle, WritingStyle } from './file-format.ts';

const rowsOf = async (bytes: Uint8Array, style: ReadingStyle = {}) => {
  const rows: unknown[] = [];
  // The bytes come in pieces.
  const half = Math.floor(bytes.length / 2);
  for await (const row of excel.rows(source(bytes.subarray(0, half), bytes.subarray(half)), style)) rows.push(row);
  return rows;
};
async function* source(...pieces: Uint8Array[]) {
  yield* pieces;
}
const written = async (value: unknown, style: Partial<WritingStyle> = {}) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of excel.pieces(value, { escapeFormulas: true, ...style }) as AsyncIterable<Uint8Array>)
    pieces.push(piece);
  return Buffer.concat(pieces);
};

test('rows are filled up to the header, from the sheet that the call names', async () => {
  const sheets = { One: textRow('a', 'b') + textRow('1'), Two: textRow('x') + textRow('2') };
  expect(await rowsOf(bookOf({ sheets }))).toEqual([{ a: '1', b: '' }]);
  expect(await rowsOf(bookOf({ sheets }), { sheet: 'Two' })).toEqual([{ x: '2' }]);
  expect(await rowsOf(bookOf({ sheets }), { noHeader: true, columns: ['k'] })).toEqual([
    { k: 'a', column_2: 'b' },
    { k: '1' },
  ]);
});

test('what is written is read: rows, one map, and other values', async () => {
  expect(await rowsOf(await written([{ a: '=1' }, { b: 2 }], { sheet: 'S' }), { sheet: 'S' })).toEqual([
    { a: '=1', b: '' },
    { a: '', b: '2' },
  ]);
  expect(await rowsOf(await written({ rows: [{ a: 1 }] }))).toEqual([{ a: '1' }]);
  expect(await rowsOf(await written(['x', 2]))).toEqual([{ value: 'x' }, { value: '2' }]);
});

test('the format of Excel before 2007 is refused in both directions', async () => {
  await expect(rowsOf(Buffer.from('d0cf11e0a1b11ae1', 'hex'))).rejects.toMatchObject({
    code: 'body_undecodable',
    message: expect.stringContaining('it has the format of Excel before 2007 (.xls), or a password'),
  });
  await expect(async () => written([{ a: 1 }], { name: 'report.XLS' })).rejects.toMatchObject({
    code: 'value_refused',
    message: '"report.XLS" would have the format of Excel before 2007: write .xlsx',
  });
});

test('S-70: a wide header over many short rows is refused, and so is more than a budget', async () => {
  const header = textRow(...Array.from({ length: 16_384 }, (_, at) => `c${at}`));
  const wide = bookOf({ sheets: { S: header + textRow('1').repeat(1_000) } });
  await expect(rowsOf(wide)).rejects.toMatchObject({
    code: 'body_undecodable',
    message: 'the rows of the table are far shorter than its header',
  });
  const many = bookOf({ sheets: { S: textRow('a') + textRow('1').repeat(200) } });
  await expect(rowsOf(many, { budget: { ...answerBudget, values: 300 } })).rejects.toMatchObject({
    code: 'body_too_large',
  });
});

test('A-06: while a workbook is read, the event loop keeps running', async () => {
  const bytes = bookOf({ sheets: { S: textRow('a', 'b') + textRow('1', '2').repeat(20_000) } });
  let turns = 0;
  const counting = setInterval(() => turns++, 1);
  expect(await rowsOf(bytes)).toHaveLength(20_000);
  clearInterval(counting);
  expect(turns).toBeGreaterThan(20);
});
