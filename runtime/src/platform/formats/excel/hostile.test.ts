import { describe, expect, test } from 'vitest';
import { limits } from './limits.ts';
import { bookOf, packageOf, partsOf, textRow } from './testing/package.ts';
import { sheetRowsOf } from './workbook.ts';

const sheet = (...rows: string[]) => ({ sheets: { Data: rows.join('') } });
const undecodable = (reason: RegExp) => ({ code: 'body_undecodable', message: expect.stringMatching(reason) });
const tooLarge = (reason: RegExp) => ({ code: 'body_too_large', message: expect.stringMatching(reason) });
const read = (bytes: Uint8Array) => sheetRowsOf(bytes, undefined);
const withPart = (name: string, content: string) =>
  packageOf(partsOf(sheet(textRow('a'))).map((part) => (part.name === name ? { name, content } : part)));

describe('S-70: files that are not workbooks, or declare a wrong length', () => {
  test.each<[string, Uint8Array, RegExp]>([
    ['nothing', new Uint8Array(), /it is empty/],
    ['a table', Buffer.from('a,b\n1,2\n'), /it is not a workbook \(\.xlsx\)/],
    ['the format before 2007', Buffer.from('d0cf11e0a1b11ae1', 'hex'), /Excel before 2007 \(\.xls\), or a password/],
    ['a ZIP of other things', packageOf([{ name: 'a.txt', content: 'x' }]), /it has no part "xl\/workbook\.xml"/],
    ['a name that leads out', packageOf([{ name: '../../etc/cron.d/x', content: 'x' }]), /invalid relative path/],
    ['an absolute name', packageOf([{ name: '/etc/passwd', content: 'x' }]), /absolute path/],
    ['two parts of one name', packageOf([...partsOf(sheet(textRow('a'))), ...partsOf({})]), /two parts of the name/],
    ['a file that ends early', bookOf(sheet(textRow('a'))).subarray(0, 300), /cannot be read/],
    ['a column beyond the last', bookOf(sheet('<row><c r="XFE1"><v>1</v></c></row>')), /more than 16384 columns/],
    ['a malformed place', bookOf(sheet('<row><c r="1A"><v>1</v></c></row>')), /"1A" is not the place of a cell/],
    ['a row beyond the last', bookOf(sheet('<row r="1048577"/>')), /"1048577" is not the number of a row/],
    ['a text that is not there', bookOf(sheet('<row><c t="s"><v>7</v></c></row>')), /row 1 refers to the text 7/],
    ['a sheet that is cut', withPart('xl/worksheets/sheet0.xml', '<worksheet><sheetData>'), /unclosed tag/],
  ])('%s', async (_, bytes, reason) => {
    await expect(read(bytes)).rejects.toMatchObject(undecodable(reason));
  });

  test('bytes that are changed anywhere are an error of the caller, or another value', async () => {
    const bytes = bookOf(sheet(textRow('a', 'b'), textRow('1', '2')));
    for (let at = 0; at < bytes.length; at += 3) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] as number) ^ 0x5a;
      const outcome = await read(changed).then(
        () => 'body_undecodable',
        (error) => error.code,
      );
      expect(outcome).toMatch(/^body_(undecodable|too_large)$/);
    }
  });
});

describe('S-70: what is small and becomes large is refused before it does', () => {
  test('a bomb that declares its size is not inflated at all', async () => {
    const parts = partsOf(sheet(textRow('a')));
    const bomb = packageOf([...parts, { name: 'xl/media/a.bin', content: 'x', claimed: 0xffff_fff0 }]);
    await expect(read(bomb)).rejects.toMatchObject(tooLarge(/larger than 67108864 bytes when it is inflated/));
    const many = Array.from({ length: 17 }, (_, at) => ({ name: `${at}`, content: 'x', claimed: 4 * 1024 * 1024 }));
    await expect(read(packageOf([...parts, ...many]))).rejects.toMatchObject(tooLarge(/when it is inflated/));
  });

  test('a bomb that declares a smaller size is cut there', async () => {
    const content = `<worksheet><sheetData><!--${' '.repeat(100_000_000)}--></sheetData></worksheet>`;
    const parts = partsOf(sheet(textRow('a'))).map((part) =>
      part.name.includes('sheet0') ? { ...part, content, claimed: 1_000 } : part,
    );
    const bomb = packageOf(parts);
    const before = process.memoryUsage.rss();
    await expect(read(bomb)).rejects.toMatchObject(undecodable(/too many bytes in the stream/));
    expect(process.memoryUsage.rss() - before).toBeLessThan(100 * 1024 * 1024);
  });

  test('a directory of very many entries is not read', async () => {
    const many = Array.from({ length: limits.entries + 1 }, (_, at) => ({ name: `${at}`, content: '' }));
    await expect(read(packageOf(many))).rejects.toMatchObject(tooLarge(/more than 10000 entries/));
  });

  test('rows are counted, and so are the texts that cells share', async () => {
    const rows = `${'<row><c><v>1</v></c></row>'.repeat(limits.rows)}<row><c><v>1</v></c></row>`;
    await expect(read(bookOf(sheet(rows)))).rejects.toMatchObject(tooLarge(/more than 100000 rows/));
    const texts = `<si><t>${'x'.repeat(1_000_000)}</t></si>`;
    const shared = bookOf({ ...sheet(`<row>${'<c t="s"><v>0</v></c>'.repeat(68)}</row>`), texts });
    await expect(read(shared)).rejects.toMatchObject(tooLarge(/more than 67108864 characters in its cells/));
  });

  test('rows that lead to no text cost nothing', async () => {
    expect(await read(bookOf(sheet('<row/>'.repeat(limits.rows + 1))))).toEqual([]);
  });
});

describe('S-57: documents inside', () => {
  test.each(['xl/workbook.xml', 'xl/worksheets/sheet0.xml', 'xl/_rels/workbook.xml.rels', '_rels/.rels'])(
    '%s with a document type is refused',
    async (name) => {
      const typed = '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "b">]><worksheet>&a;</worksheet>';
      await expect(read(withPart(name, typed))).rejects.toMatchObject(undecodable(/document types and entities/));
    },
  );

  test('texts and styles too', async () => {
    const texts = '<si><t>&lol;</t></si>';
    await expect(read(bookOf({ ...sheet(textRow('a')), texts }))).rejects.toMatchObject(
      undecodable(/the entity &lol;/),
    );
    const styles = `${'<a>'.repeat(101)}${'</a>'.repeat(101)}`;
    await expect(read(bookOf({ ...sheet(textRow('a')), styles }))).rejects.toMatchObject(undecodable(/nested deeper/));
  });
});
