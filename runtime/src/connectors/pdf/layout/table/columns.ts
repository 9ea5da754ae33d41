import { type Declarations, pointsIn } from '../../html/declarations.ts';
import type { Element } from '../../html/tree.ts';
import type { Row, Rows } from './rows.ts';

/** Rows of which the content decides the width of columns. */
const measured = 500;

/**
 * The widths of columns. Where nothing is said they are equal; what a cell of the first row or a `<col>` says counts, and the
 * others share what is left. With `table-layout: auto` they share it by what is in them, of which `contentWidth` gives the
 * points without line breaks.
 */
export function columnWidths(
  table: Element,
  own: Declarations,
  rows: Rows,
  width: number,
  contentWidth: (row: Row, cell: Row['cells'][number]) => number,
): readonly number[] {
  const { columns } = rows;
  const widths: (number | undefined)[] = Array.from({ length: columns });
  const first = rows.head[0] ?? rows.body[0];
  colsOf(table).forEach((col, at) => {
    if (at < columns) widths[at] = pointsIn(styleWidth(col), width, 10);
  });
  for (const { column, span, styled } of first?.cells ?? []) {
    if (span > 1 || column >= columns) continue;
    widths[column] ??= pointsIn(styled.own.get('width'), width, styled.text.size);
  }
  const said = widths.reduce<number>((sum, each) => sum + (each ?? 0), 0);
  const open = widths.filter((each) => each === undefined).length;
  const room = Math.max(0, width - said);
  if (open > 0 && own.get('table-layout')?.toLowerCase() === 'auto') {
    const wanted = contents(rows, columns, contentWidth);
    const sum = widths.reduce<number>(
      (total, each, at) => total + (each === undefined ? (wanted[at] as number) : 0),
      0,
    );
    return fitted(
      widths.map((each, at) => each ?? ((wanted[at] as number) / sum) * room),
      width,
    );
  }
  return fitted(
    widths.map((each) => each ?? room / open),
    width,
  );
}

/** Never wider than the table, and never nothing. */
function fitted(widths: readonly number[], width: number): readonly number[] {
  const least = Math.min(4, width / widths.length);
  const wide = widths.map((each) => Math.max(least, each));
  const sum = wide.reduce((total, each) => total + each, 0);
  return sum > width + 0.01 ? wide.map((each) => (each * width) / sum) : wide;
}

function contents(
  rows: Rows,
  columns: number,
  contentWidth: (row: Row, cell: Row['cells'][number]) => number,
): number[] {
  const wanted = Array.from({ length: columns }, () => 1);
  for (const row of [...rows.head, ...rows.body.slice(0, measured)])
    for (const cell of row.cells)
      if (cell.span === 1 && cell.column < columns)
        wanted[cell.column] = Math.max(wanted[cell.column] as number, contentWidth(row, cell));
  return wanted;
}

function colsOf(table: Element): readonly Element[] {
  return table.children.flatMap((child) => {
    if (typeof child === 'string') return [];
    if (child.name === 'col') return [child];
    return child.name === 'colgroup' ? colsOf(child) : [];
  });
}

function styleWidth({ attributes }: Element): string | undefined {
  return /(?:^|;)\s*width\s*:\s*([^;]+)/i.exec(attributes['style'] ?? '')?.[1] ?? attributes['width'];
}
