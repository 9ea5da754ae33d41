import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeExcel } from './decode.ts';
import { encodeExcel, excelPieces, largeExcel, type SheetWriting } from './encode.ts';

type Row = Readonly<Record<string, unknown>>;

const piecesOf = async (rows: readonly Row[], writing: SheetWriting = {}) => {
  const pieces: Uint8Array[] = [];
  for await (const piece of excelPieces(rows, writing)) pieces.push(piece);
  return Buffer.concat(pieces);
};
const rowsOf = async (bytes: Uint8Array) => (await decodeExcel(bytes))['rows'];
const failureOf = (rows: readonly Row[], writing?: SheetWriting): unknown => {
  try {
    return encodeExcel(rows, writing);
  } catch (error) {
    return error;
  }
};

test('numbers and booleans are themselves, structures are JSON, null has no cell', async () => {
  const rows = [
    { a: 1.5, b: true, c: null, d: [1], e: 2n ** 60n },
    { b: -0.000001, f: 1e21 },
  ];
  const read = [
    { a: '1.5', b: 'TRUE', d: '[1]', e: '1152921504606846976' },
    { b: '-0.000001', f: '1000000000000000000000' },
  ];
  expect(await rowsOf(encodeExcel(rows))).toEqual(read);
  expect(await rowsOf(await piecesOf(rows))).toEqual(read);
});

test('equal rows are equal bytes, whether they are written at once or piece by piece', async () => {
  const rows = Array.from({ length: 1_000 }, (_, at) => ({ at, text: `row ${at}` }));
  const bytes = encodeExcel(rows, { sheet: 'Rows' });
  expect(bytes.equals(encodeExcel(rows, { sheet: 'Rows' }))).toBe(true);
  expect(await rowsOf(await piecesOf(rows, { sheet: 'Rows' }))).toEqual(await rowsOf(bytes));
});

test('A-06: a large one leaves turns to the event loop, however it is divided', async () => {
  const long = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `row ${at}` }));
  const wide = Array.from({ length: 4 }, () =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, at])),
  );
  for (const rows of [long, wide]) {
    let turns = 0;
    let isOver = false;
    const turn = () => {
      turns++;
      if (!isOver) setImmediate(turn);
    };
    setImmediate(turn);
    const pieces: Uint8Array[] = [];
    for await (const piece of largeExcel(rows) ?? []) pieces.push(piece);
    isOver = true;
    // A step writes 2,000 cells.
    expect(turns).toBeGreaterThan(10);
    expect(await rowsOf(Buffer.concat(pieces))).toEqual(await rowsOf(encodeExcel(rows)));
  }
  expect(largeExcel(long.slice(0, 5_000))).toBeUndefined();
});

test('a text that is too long for a cell is refused before the first piece', () => {
  const rows = Array.from({ length: 20_000 }, (_, at) => ({ at, text: at === 19_999 ? 'x'.repeat(32_768) : '' }));
  expect(() => largeExcel(rows)).toThrow('is too long for a cell of a spreadsheet');
});

test('columns and header are as the configuration says', async () => {
  const rows = [{ a: 1, b: 2 }, { c: 3 }];
  expect(await rowsOf(encodeExcel(rows, { columns: ['c', 'a'] }))).toEqual([{ a: '1' }, { c: '3' }]);
  expect(await rowsOf(encodeExcel(rows, { noHeader: true }))).toEqual([{ column_3: '3' }]);
  expect(await rowsOf(encodeExcel([]))).toEqual([]);
});

test('S-55: a text that begins as a formula does is a cell of text', async () => {
  const rows = ['=1+1', '+1', '-1', '@A1', '\tx', '\rx', "'=1"].map((a) => ({ a, '=b': a }));
  expect(await rowsOf(encodeExcel(rows))).toEqual(rows);
});

test('any texts come back as they were written', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).map((text) => text.toWellFormed()),
    fc.stringMatching(/^[ _x0-9A-F\r\n\t<&"\]>]{0,20}$/),
  );
  const rows = fc.array(fc.record({ a: text, b: text }), { minLength: 2, maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(rows, async (written) => {
      const read = written.flatMap((row) => {
        const cells = Object.entries(row).filter(([, cell]) => cell !== '');
        return cells.length === 0 ? [] : [Object.fromEntries(cells)];
      });
      const values = ((await rowsOf(encodeExcel(written))) as object[]).map((row) => ({ ...row }));
      expect(values).toEqual(read);
    }),
    { numRuns: 60 },
  );
});

describe('what a sheet cannot hold is refused', () => {
  test.each<[string, readonly Row[], SheetWriting, string, string]>([
    ['a long text', [{ a: 'x'.repeat(32_768) }], {}, 'output_invalid', 'a text of 32768 characters is too long'],
    [
      'columns',
      [Object.fromEntries(Array.from({ length: 16_385 }, (_, at) => [`c${at}`, 1]))],
      {},
      'output_invalid',
      'a spreadsheet of 1 rows and 16385 columns is too large',
    ],
    ['a name', [{ a: 1 }], { sheet: '../x' }, 'value_refused', '"../x" is not the name of a sheet'],
    ['a name that is too long', [{ a: 1 }], { sheet: 'x'.repeat(32) }, 'value_refused', 'is not the name of a sheet'],
  ])('%s', (_, rows, writing, code, message) => {
    expect(failureOf(rows, writing)).toMatchObject({ code, message: expect.stringContaining(message) });
  });

  test('what is large is written as a file, and not on the event loop', async () => {
    const rows = Array.from({ length: 250_001 }, (_, at) => ({ at }));
    expect(failureOf(rows)).toMatchObject({
      code: 'output_invalid',
      message:
        'a spreadsheet of 250001 rows and 1 columns is too large for an answer or a message, which has at most 250000 cells: write a file',
    });
    let turns = 0;
    const counting = setInterval(() => turns++, 1);
    await piecesOf(rows);
    clearInterval(counting);
    // A step writes 2,000 cells.
    expect(turns).toBeGreaterThan(10);
  });

  test('rows without a column in common cost no more than their values', async () => {
    const rows = Array.from({ length: 16_384 }, (_, at) => ({ [`k${at}`]: 1 }));
    expect((await piecesOf(rows)).length).toBeLessThan(2_000_000);
  });

  test('who stops reading ends the writing, and a value that is refused ends the reading', async () => {
    const pieces = excelPieces(
      Array.from({ length: 100_000 }, (_, at) => ({ at, text: `${at}`.repeat(20) })),
      {},
    );
    await pieces.next();
    await pieces.return();
    await expect(piecesOf([{ a: 1 }, { a: 'x'.repeat(40_000) }])).rejects.toMatchObject({ code: 'output_invalid' });
  });
});
