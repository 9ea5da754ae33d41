import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decodeExcel } from './decode.ts';
import { checkedExcel, encodeExcel, excelPieces, type SheetWriting } from './encode.ts';

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

test('many rows are the same bytes row by row', async () => {
  const long = Array.from({ length: 20_000 }, (_, at) => ({ at, text: `row ${at}` }));
  const wide = Array.from({ length: 4 }, () =>
    Object.fromEntries(Array.from({ length: 10_000 }, (_, at) => [`c${at}`, at])),
  );
  for (const rows of [long, wide]) {
    const pieces: Uint8Array[] = [];
    for await (const piece of checkedExcel(rows)) pieces.push(piece);
    expect(await rowsOf(Buffer.concat(pieces))).toEqual(await rowsOf(encodeExcel(rows)));
  }
});

test.each<[string, unknown, string]>([
  ['a text that is too long for a cell', 'x'.repeat(32_768), 'a text of 32768 characters is too long for a cell'],
  ['a structure whose JSON is', { a: ['x'.repeat(32_768)] }, 'a text of 32778 characters is too long for a cell'],
  ['columns without number', Object.fromEntries(Array.from({ length: 16_385 }, (_, at) => [at, 1])), 'is too large'],
])('%s is refused in place of the first piece, wherever it is', async (_, last, message) => {
  const rows: unknown[] = Array.from({ length: 20_000 }, (_, at) => ({ at, text: '' }));
  rows.push(typeof last === 'object' && !Object.hasOwn(last as object, 'a') ? last : { text: last });
  const turns = turnsOf();
  await expect(checkedExcel(rows).next()).rejects.toMatchObject({
    code: 'output_invalid',
    message: expect.stringContaining(message),
  });
  // 2,000 values are checked between two turns.
  expect(turns()).toBeGreaterThan(10);
});

/** Counts turns of the event loop until it is called. */
function turnsOf(): () => number {
  let turns = 0;
  let isOver = false;
  const turn = () => {
    turns++;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return () => {
    isOver = true;
    return turns;
  };
}

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
      'a spreadsheet of 2 rows and 16385 columns is too large: a sheet has at most 1048576 and 16384',
    ],
    ['a name', [{ a: 1 }], { sheet: '../x' }, 'value_refused', '"../x" is not the name of a sheet'],
    ['a name that is too long', [{ a: 1 }], { sheet: 'x'.repeat(32) }, 'value_refused', 'is not the name of a sheet'],
  ])('%s', (_, rows, writing, code, message) => {
    expect(failureOf(rows, writing)).toMatchObject({ code, message: expect.stringContaining(message) });
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
