import { describe, expect, test } from 'vitest';
import { answerBudget, messageBudget } from '../budget.ts';
import { decodeExcel } from './decode.ts';
import { mapsOf, type SheetReading } from './rows.ts';
import { type BookParts, bookOf, packageOf, partsOf, textRow } from './testing/package.ts';
import { sheetRowsOf } from './workbook.ts';

const rowsOf = async (book: BookParts, reading: SheetReading = {}, sheet?: string) => [
  ...mapsOf(await sheetRowsOf(bookOf(book), sheet), reading),
];
const sheet = (...rows: string[]) => ({ sheets: { Data: rows.join('') } });
const refused = (message: string | RegExp, code = 'body_undecodable') =>
  expect.objectContaining({ code, message: typeof message === 'string' ? message : expect.stringMatching(message) });
const failureOf = (bytes: Uint8Array, name?: string) => sheetRowsOf(bytes, name).then(undefined, (error) => error);

describe('cells', () => {
  test('the first row that has a text is the header, and every value is the text that the sheet shows', async () => {
    const book = {
      sheets: {
        Data: [
          '<row r="2"/><row r="3"><c r="A3" t="s"><v>0</v></c><c r="B3" t="inlineStr"><is><t>n</t></is></c><c r="C3" t="str"><v>b</v></c><c r="D3" t="s"><v>1</v></c></row>',
          '<row r="4"><c r="A4" t="s"><v>2</v></c><c r="B4"><v>0.30000000000000004</v></c><c r="C4" t="b"><v>1</v></c><c r="D4" t="e"><v>#DIV/0!</v></c></row>',
          '<row r="5"><c r="A5" s="1"/><c r="B5" t="str"><v></v></c></row>',
          '<row r="9"><c r="A9" t="str"><f>CONCAT("a","b")</f><v>ab</v></c><c r="B9"><f>1+1</f></c><c r="C9" t="b"><v>0</v></c><c r="D9" t="d"><v>2026-03-01</v></c></row>',
        ].join(''),
      },
      texts:
        '<si><t>name</t></si><si><r><t>two </t></r><r><rPr><b/></rPr><t>runs</t></r><rPh sb="0" eb="1"><t>spoken</t></rPh></si><si><t xml:space="preserve"> x_x000D_ &lt;_x005F_x000D_ </t></si>',
    };
    expect(await rowsOf(book)).toEqual([
      { name: ' x\r <_x000D_ ', n: '0.3', b: 'TRUE', 'two runs': '#DIV/0!' },
      { name: 'ab', b: 'FALSE', 'two runs': '2026-03-01' },
    ]);
  });

  test('dates are ISO 8601 by the format of the cell, from 1900 and from 1904', async () => {
    const styles =
      '<numFmts><numFmt numFmtId="164" formatCode="[$-409]d\\-mmm\\-yyyy;@"/><numFmt numFmtId="165" formatCode="[h]:mm"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="22"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="20"/></cellXfs>';
    const cells = [
      ['0', '46082.5'],
      ['1', '46082'],
      ['2', '46082.573263888888'],
      ['3', '60.5'],
      ['4', '1.5'],
      ['5', '0.75'],
      ['1', '-1'],
      ['1', '2958466'],
    ];
    const data = `${textRow('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h')}<row>${cells.map(([s, v]) => `<c s="${s}"><v>${v}</v></c>`).join('')}</row>`;
    const book = { sheets: { Data: data }, styles };
    const expected = {
      a: '46082.5',
      b: '2026-03-01',
      c: '2026-03-01T13:45:30',
      d: '1900-02-28T12:00:00',
      e: '36:00:00',
      f: '18:00:00',
      g: '-1',
      h: '2958466',
    };
    // The 29 February 1900, which workbooks have, was the day before the first of March.
    expect(await rowsOf(book)).toEqual([expected]);
    const from1904 = { ...book, properties: '<workbookPr date1904="1"/>' };
    expect(await rowsOf(from1904)).toMatchObject([{ b: '2030-03-02', c: '2030-03-02T13:45:30', f: '18:00:00' }]);
  });

  test('S-70: what is merged, sparse or styled up to the last column costs nothing', async () => {
    const merged = `<?xml version="1.0"?><worksheet><sheetData><row r="1"><c r="A1" t="str"><v>a</v></c><c r="XFD1" t="str"><v>z</v></c></row><row r="1048576"><c r="XFD1048576"><v>1</v></c><c r="B1048576"><v>2</v></c></row></sheetData><mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells></worksheet>`;
    expect(await rowsOf({ sheets: { Data: merged } })).toEqual([{ column_2: '2', z: '1' }]);
    expect(await rowsOf({ sheets: { Data: merged } }, { isFilled: true })).toEqual([{ a: '', z: '1', column_2: '2' }]);
  });

  test('equal and missing names of columns become different ones', async () => {
    const rows = [textRow('a', '', 'a', 'a_2', ''), textRow('1', '2', '3', '4', '5', '6')];
    expect(await rowsOf(sheet(...rows))).toEqual([
      { a: '1', column_2: '2', a_3: '3', a_2: '4', column_5: '5', column_6: '6' },
    ]);
    expect(await rowsOf(sheet(...rows), { noHeader: true })).toMatchObject([{ column_1: 'a', column_4: 'a_2' }, {}]);
    expect(await rowsOf(sheet(...rows), { columns: ['x'] })).toMatchObject([{ x: '1', column_2: '2' }]);
    expect(await rowsOf(sheet(...rows), { skipRows: 1, trimSpace: true })).toEqual([]);
    expect(await rowsOf(sheet(textRow('# note'), ...rows), { comment: '#' })).toHaveLength(1);
  });

  test('S-58: names of prototypes are names of columns', async () => {
    const [row] = await rowsOf(sheet(textRow('__proto__', 'constructor'), textRow('1', '2')));
    expect([Object.getPrototypeOf(row), Object.entries(row as object)]).toEqual([
      null,
      [
        ['__proto__', '1'],
        ['constructor', '2'],
      ],
    ]);
  });
});

describe('sheets', () => {
  const book = {
    sheets: { 'First one': textRow('a') + textRow('1'), '../../etc/passwd': textRow('a') + textRow('2') },
  };

  test('the first sheet, or the one that is named, whatever its case; names lead nowhere', async () => {
    expect(await rowsOf(book)).toEqual([{ a: '1' }]);
    expect(await rowsOf(book, {}, 'FIRST ONE')).toEqual([{ a: '1' }]);
    expect(await rowsOf(book, {}, '../../etc/passwd')).toEqual([{ a: '2' }]);
    expect(await failureOf(bookOf(book), 'Other')).toEqual(
      refused('the spreadsheet cannot be read: it has no sheet "Other": it has "First one", "../../etc/passwd"'),
    );
  });

  test('relations that lead out of the package find nothing', async () => {
    const parts = partsOf(book).map((part) =>
      part.name.endsWith('workbook.xml.rels')
        ? { ...part, content: String(part.content).replaceAll('worksheets/', '../../../../worksheets/') }
        : part,
    );
    expect(await failureOf(packageOf(parts))).toEqual(refused(/it has no part "worksheets\/sheet0.xml"/));
  });
});

describe('bodies', () => {
  test('rows are a list, a single row gives its columns, and short rows are not filled up', async () => {
    const one = bookOf(sheet(textRow('a', 'b'), textRow('1')));
    expect(await decodeExcel(one)).toEqual({ a: '1', rows: [{ a: '1' }] });
    expect(await decodeExcel(bookOf(sheet()))).toEqual({ rows: [] });
    const two = bookOf(sheet(textRow('a'), textRow('1'), textRow('2')));
    expect(await decodeExcel(two)).toEqual({ rows: [{ a: '1' }, { a: '2' }] });
  });

  test('a message inflates to less than a file does', async () => {
    const wide = bookOf(sheet(textRow('a'), `<!--${'x'.repeat(20_000_000)}-->`));
    const tooLarge = refused(/is larger than 16000000 bytes when it is inflated/, 'body_too_large');
    await expect(decodeExcel(wide, { budget: messageBudget })).rejects.toEqual(tooLarge);
    expect(await decodeExcel(bookOf(sheet(textRow('a'), textRow('1'))), { budget: answerBudget })).toMatchObject({
      a: '1',
    });
  });
});
