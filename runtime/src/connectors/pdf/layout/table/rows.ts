import type { Sheet } from '../../html/sheet.ts';
import { type Styled, styleOf, type TextStyle } from '../../html/style.ts';
import type { Element } from '../../html/tree.ts';

/** A cell, and the columns that it is in. */
export interface Cell {
  readonly element: Element;
  readonly styled: Styled;
  readonly column: number;
  readonly span: number;
}

export interface Row {
  readonly cells: readonly Cell[];
  readonly own: Styled['own'];
}

/** The rows of a table: those that are repeated on each page first. */
export interface Rows {
  readonly head: readonly Row[];
  readonly body: readonly Row[];
  readonly columns: number;
  readonly captions: readonly Element[];
}

/** Columns of a table. */
const most = 200;

/** Reads the rows of a table. Without `<thead>`, the rows at its beginning that have headings alone are its head. */
export function rowsOf(table: Element, style: TextStyle, sheet: Sheet): Rows {
  const head: Row[] = [];
  const body: Row[] = [];
  const foot: Row[] = [];
  const captions: Element[] = [];
  const add = (element: Element, rows: Row[], around: TextStyle) => {
    for (const child of element.children) {
      if (typeof child === 'string') continue;
      const styled = styleOf(child, around, sheet);
      if (child.name === 'tr') rows.push({ cells: cellsOf(child, styled.text, sheet), own: styled.own });
      else if (child.name === 'thead') add(child, head, styled.text);
      else if (child.name === 'tfoot') add(child, foot, styled.text);
      else if (child.name === 'tbody') add(child, rows, styled.text);
      else if (child.name === 'caption') captions.push(child);
    }
  };
  add(table, body, style);
  if (head.length === 0) {
    const begin = body.findIndex(
      ({ cells }) => cells.length === 0 || cells.some(({ element }) => element.name !== 'th'),
    );
    head.push(...body.splice(0, begin < 0 ? 0 : begin));
  }
  const all = body.length < 10_000 ? [...head, ...body, ...foot] : [...head, ...body.slice(0, 10_000)];
  const columns = Math.max(1, ...all.map(({ cells }) => cells.reduce((sum, { span }) => sum + span, 0)));
  for (const row of foot) body.push(row);
  return { head, body, columns: Math.min(most, columns), captions };
}

function cellsOf(row: Element, style: TextStyle, sheet: Sheet): readonly Cell[] {
  const cells: Cell[] = [];
  let column = 0;
  for (const child of row.children) {
    if (typeof child === 'string' || (child.name !== 'td' && child.name !== 'th')) continue;
    const span = Math.min(most, Math.max(1, Number.parseInt(child.attributes['colspan'] ?? '1', 10) || 1));
    cells.push({ element: child, styled: styleOf(child, style, sheet), column, span });
    column += span;
  }
  return cells;
}
