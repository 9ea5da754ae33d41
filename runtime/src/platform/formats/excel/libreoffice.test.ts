import { execFile } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { folderWith } from '../../../../../test/support/folder.ts';
import { decodeTable } from '../table-decoder.ts';
import { encodeExcel, excelPieces } from './encode.ts';
import { mapsOf } from './rows.ts';
import { sheetRowsOf } from './workbook.ts';

/** The path of LibreOffice, which reads what is written here and writes what is read here. */
const soffice = process.env['TEST_SOFFICE'];
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** The bytes that LibreOffice makes of a file. */
async function converted(name: string, bytes: Uint8Array | string, ending: string, filter = ''): Promise<Buffer> {
  const folder = folderWith();
  folders.push(folder);
  writeFileSync(join(folder, name), bytes);
  const profile = `-env:UserInstallation=file://${folder}/profile`;
  await promisify(execFile)(soffice as string, [
    profile,
    '--headless',
    '--convert-to',
    ending + filter,
    '--outdir',
    folder,
    join(folder, name),
  ]);
  return readFileSync(join(folder, name.replace(/\w+$/, ending)));
}

/** Comma, quotes, and the number of UTF-8. */
const utf8 = ':Text - txt - csv (StarCalc):44,34,76';

const rows = [
  { name: '=1+1', amount: 1.5, done: true, note: 'a "b", c\nd' },
  { name: '+49 30', amount: -0.25, done: false, note: '_x0041_ <&> é 😀' },
  { name: "'quoted", amount: 12345678901, note: ' blanks ' },
];

test.skipIf(soffice === undefined)(
  'S-55: LibreOffice shows what was written, and takes no text for a formula',
  async () => {
    const pieces: Uint8Array[] = [];
    for await (const piece of excelPieces(rows, { sheet: 'Sheet A' })) pieces.push(piece);
    for (const bytes of [encodeExcel(rows), Buffer.concat(pieces)]) {
      const shown = decodeTable(await converted('rows.xlsx', bytes, 'csv', utf8), { delimiter: ',' });
      expect(shown['rows']).toEqual([
        { name: '=1+1', amount: '1.5', done: 'TRUE', note: 'a "b", c\nd' },
        { name: '+49 30', amount: '-0.25', done: 'FALSE', note: '_x0041_ <&> é 😀' },
        { name: "'quoted", amount: '12345678901', done: '', note: ' blanks ' },
      ]);
    }
  },
);

const cell = (type: string, value: string, text = '') =>
  `<table:table-cell table:style-name="${type}" office:value-type="${type}" ${value}><text:p>${text}</text:p></table:table-cell>`;
const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
const word = (text: string) => cell('string', '', text);

/** A spreadsheet in the format of LibreOffice, with cells of every type. */
const spreadsheet = `<?xml version="1.0" encoding="UTF-8"?>
<office:document office:version="1.2" office:mimetype="application/vnd.oasis.opendocument.spreadsheet"
  xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" xmlns:table="urn:oasis:names:tc:opendocument:xmlns:table:1.0"
  xmlns:text="urn:oasis:names:tc:opendocument:xmlns:text:1.0" xmlns:number="urn:oasis:names:tc:opendocument:xmlns:datastyle:1.0"
  xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0" xmlns:of="urn:oasis:names:tc:opendocument:xmlns:of:1.2">
<office:automatic-styles>
<number:date-style style:name="D"><number:year number:style="long"/><number:text>/</number:text><number:month/><number:text>/</number:text><number:day/></number:date-style>
<number:time-style style:name="T"><number:hours/><number:text>:</number:text><number:minutes number:style="long"/></number:time-style>
<number:boolean-style style:name="B"><number:boolean/></number:boolean-style>
<number:percentage-style style:name="P"><number:number number:decimal-places="0"/><number:text>%</number:text></number:percentage-style>
${Object.entries({ date: 'D', time: 'T', boolean: 'B', percentage: 'P' })
  .map(
    ([name, data]) => `<style:style style:name="${name}" style:family="table-cell" style:data-style-name="${data}"/>`,
  )
  .join('')}
</office:automatic-styles>
<office:body><office:spreadsheet>
<table:table table:name="First">
${row(word('text'), word('date'), word('time'), word('yes'), word('sum'), word('share'))}
${row(word('é &amp; &lt;'), cell('date', 'office:date-value="2026-03-01"'), cell('time', 'office:time-value="PT13H45M30S"'), cell('boolean', 'office:boolean-value="true"'), `<table:table-cell table:formula="of:=0.1+0.2"/>`, cell('percentage', 'office:value="0.125"'))}
<table:table-row table:number-rows-repeated="1000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>
<table:table-row><table:table-cell table:number-columns-spanned="3" office:value-type="string"><text:p>merged</text:p></table:table-cell><table:covered-table-cell table:number-columns-repeated="2"/>${cell('boolean', 'office:boolean-value="false"')}</table:table-row>
</table:table>
<table:table table:name="Second &amp; last">${row(word('a'))}${row(cell('date', 'office:date-value="1899-12-31T12:00:00"'))}</table:table>
</office:spreadsheet></office:body></office:document>`;

test.skipIf(soffice === undefined)(
  'what LibreOffice wrote is read: dates, times, formulas, merged and many empty cells',
  async () => {
    const bytes = await converted('book.fods', spreadsheet, 'xlsx');
    expect([...mapsOf(await sheetRowsOf(bytes, undefined), {})]).toEqual([
      { text: 'é & <', date: '2026-03-01', time: '13:45:30', yes: 'TRUE', sum: '0.3', share: '0.125' },
      { text: 'merged', yes: 'FALSE' },
    ]);
    expect([...mapsOf(await sheetRowsOf(bytes, 'second & LAST'), {})]).toHaveLength(1);
  },
);
