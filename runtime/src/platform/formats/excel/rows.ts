import type { DecodingBudget } from '../budget.ts';
import { beyondBudget } from '../budget.ts';
import { columnNames, Filling } from '../columns.ts';
import type { TableReading } from '../table-decoder.ts';
import type { SheetRow } from './sheet.ts';

/** How the rows of a sheet become maps; the first one is the header. */
export type SheetReading = Omit<TableReading, 'delimiter'>;

/** Columns by name, without a prototype. */
type Row = Record<string, string>;

/**
 * The rows of a sheet as maps of texts. A cell beside the header is named by its column, `column_5`. Throws
 * `body_too_large` when all rows together are beyond the budget: cells and rows count as values.
 */
export function* mapsOf(
  rows: Iterable<SheetRow>,
  { comment, noHeader, trimSpace, skipRows = 0, columns, isFilled }: SheetReading,
  budget?: DecodingBudget,
): Generator<Row, void, undefined> {
  const filling = new Filling();
  let header: ReadonlyMap<number, string> | undefined = noHeader ? headerOf(columns ?? []) : undefined;
  let values = 0;
  for (const row of rows) {
    if ((row[0] as number) <= skipRows) continue;
    const cells = cellsOf(row, trimSpace === true);
    if (cells.size === 0 || isComment(cells, comment)) continue;
    if (header === undefined) {
      header = headerOf(columns ?? namesOf(cells));
      continue;
    }
    const map = mapOf(cells, header, isFilled === true);
    const size = Object.keys(map).length;
    filling.add(cells.size, size - cells.size);
    values += size + 1;
    if (budget !== undefined && values > budget.values) throw beyondBudget(budget, 'values');
    yield map;
  }
}

function cellsOf(row: SheetRow, isTrimmed: boolean): Map<number, string> {
  const cells = new Map<number, string>();
  for (let at = 1; at < row.length; at += 2) {
    const text = isTrimmed ? (row[at + 1] as string).trim() : (row[at + 1] as string);
    if (text !== '') cells.set(row[at] as number, text);
  }
  return cells;
}

function isComment(cells: ReadonlyMap<number, string>, comment: string | undefined): boolean {
  return comment !== undefined && cells.get(1)?.startsWith(comment) === true;
}

/** The texts of the first row up to the last one, empty where a cell has no text. */
function namesOf(cells: ReadonlyMap<number, string>): readonly string[] {
  const last = Math.max(...cells.keys());
  return Array.from({ length: last }, (_, at) => cells.get(at + 1) ?? '');
}

function headerOf(names: readonly string[]): ReadonlyMap<number, string> {
  const made = columnNames(names);
  return new Map(names.flatMap((name, at) => (name === '' ? [] : [[at + 1, made[at] as string] as const])));
}

function mapOf(cells: ReadonlyMap<number, string>, header: ReadonlyMap<number, string>, isFilled: boolean): Row {
  const map = Object.create(null) as Row;
  if (isFilled) for (const [column, name] of header) map[name] = cells.get(column) ?? '';
  for (const [column, text] of cells) map[header.get(column) ?? `column_${column}`] = text;
  return map;
}
