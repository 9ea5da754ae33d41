import { localName } from '../xml/tree.ts';
import { limits } from './limits.ts';
import { ExcelPackage, notExcel, type Relationship } from './package.ts';
import { SheetReader, type SheetRow } from './sheet.ts';
import { Styles } from './styles.ts';
import { SharedTexts } from './texts.ts';

/**
 * The rows of one sheet of a workbook (.xlsx, ECMA-376), the first one when no name is given, as they are written; rows
 * without a text are left out. `most` bounds the bytes that all entries of the file inflate to. Throws `body_undecodable`,
 * and `body_too_large` beyond the limits.
 */
export async function sheetRowsOf(
  bytes: Uint8Array,
  sheet: string | undefined,
  most: number = limits.inflated,
): Promise<readonly SheetRow[]> {
  const parts = await ExcelPackage.open(bytes, Math.min(most, limits.inflated));
  const main = (await parts.relationshipsOf('')).find(({ type }) => type === 'officeDocument');
  const workbook = main?.target ?? 'xl/workbook.xml';
  const related = await parts.relationshipsOf(workbook);
  const { sheets, is1904 } = await directoryOf(parts, workbook);
  const part = partOf(sheet, sheets, related);
  const texts = new SharedTexts();
  const styles = new Styles();
  for (const [type, events] of [
    ['sharedStrings', texts],
    ['styles', styles],
  ] as const) {
    const found = related.find((each) => each.type === type);
    if (found !== undefined && parts.has(found.target)) await parts.read(found.target, events);
  }
  const reader = new SheetReader({ texts, styles, is1904 });
  await parts.read(part, reader);
  return reader.rows;
}

interface NamedSheet {
  readonly name: string;
  /** Identifier of its relationship. */
  readonly id: string;
}

async function directoryOf(parts: ExcelPackage, workbook: string) {
  const sheets: NamedSheet[] = [];
  let is1904 = false;
  await parts.read(workbook, {
    open: (written, attributes) => {
      const name = localName(written);
      if (name === 'workbookPr') is1904 = ['1', 'true', 'on'].includes(attributes['date1904'] ?? '');
      if (name !== 'sheet') return;
      // The prefix of this identifier is chosen by the file; the other identifier has no prefix.
      const [id = ''] = Object.entries(attributes).flatMap(([key, value]) => (/:id$/.test(key) ? [value] : []));
      sheets.push({ name: attributes['name'] ?? '', id });
    },
  });
  return { sheets, is1904 };
}

/** The part of a sheet. Names of sheets are equal whatever their case is, as they are in Excel. */
function partOf(name: string | undefined, sheets: readonly NamedSheet[], related: readonly Relationship[]): string {
  const tables = sheets.flatMap((sheet) => {
    const found = related.find(({ id, type }) => id === sheet.id && type === 'worksheet');
    return found === undefined ? [] : [{ ...sheet, target: found.target }];
  });
  const chosen =
    name === undefined
      ? tables[0]
      : (tables.find((sheet) => sheet.name === name) ?? tables.find((sheet) => isSame(sheet.name, name)));
  if (chosen !== undefined) return chosen.target;
  if (name === undefined) throw notExcel('it has no sheet');
  const known = tables.slice(0, 20).map((sheet) => `"${sheet.name.slice(0, 50)}"`);
  throw notExcel(`it has no sheet "${name.slice(0, 50)}": it has ${known.join(', ')}`);
}

function isSame(one: string, other: string): boolean {
  return one.normalize().toLowerCase() === other.normalize().toLowerCase();
}
