import { colourIn, type Declarations, pointsIn } from '../../html/declarations.ts';
import type { Sheet } from '../../html/sheet.ts';
import type { TextStyle } from '../../html/style.ts';
import type { Element } from '../../html/tree.ts';
import type { Box } from '../lines.ts';
import { heightOf } from '../pages.ts';
import { Collector, type Piece, paintAll, type Sink } from '../piece.ts';
import { type Sides, sidesOf } from '../sides.ts';
import { columnWidths } from './columns.ts';
import { type Cell, type Row, rowsOf } from './rows.ts';

const millimetre = 72 / 25.4;
/** With a line of 10 points, a row is 7 mm high. */
const padding: Sides = { top: millimetre, right: millimetre, bottom: millimetre, left: millimetre };
const headColour = '#e6e6e6';

/** What the layout of a table needs of its document. */
export interface TableSetting {
  readonly sheet: Sheet;
  /** The height of a page. */
  readonly tallest: number;
  /** Lays out what is in an element, into a sink. */
  addContent(element: Element, style: TextStyle, box: Box, sink: Sink): void;
}

interface Line {
  readonly width: number;
  readonly colour: string;
}

/** A cell with its content in its place. */
interface Filled {
  readonly box: Box;
  readonly padding: Sides;
  readonly pieces: readonly Piece[];
  readonly colour: string | null | undefined;
  readonly line: Line | undefined;
}

/** Lays out a table, row by row. A row that is higher than a page is divided. */
export function addTable(
  table: Element,
  style: TextStyle,
  own: Declarations,
  box: Box,
  sink: Sink,
  setting: TableSetting,
): void {
  const rows = rowsOf(table, style, setting.sheet);
  for (const caption of rows.captions) setting.addContent(caption, { ...style, align: 'center' }, box, sink);
  const line = lineOf(own, table.attributes['border'] === '0' ? undefined : { width: 1, colour: '#000000' });
  const widths = columnWidths(table, own, rows, box.width, (_, cell) => contentWidth(cell, setting));
  const starts = [box.x];
  for (const width of widths) starts.push((starts.at(-1) as number) + width);
  const piecesOf = (row: Row) =>
    rowPieces(
      row.cells.map((cell) => filled(cell, row, starts, line, setting)),
      setting.tallest,
    );
  const add = () => {
    for (const row of rows.body) for (const piece of piecesOf(row)) sink.add(piece);
  };
  const head = rows.head.flatMap(piecesOf);
  if (head.length === 0) add();
  else sink.repeating(head, add);
}

function filled(
  { element, styled, column, span }: Cell,
  row: Row,
  starts: readonly number[],
  usual: Line | undefined,
  setting: TableSetting,
): Filled {
  const { text, own } = styled;
  const last = starts.length - 1;
  const x = starts[Math.min(column, last - 1)] as number;
  const end = starts[Math.min(column + span, last)] as number;
  const width = Math.max(1, end - x);
  const sides = sidesOf(own, 'padding', padding, width, text.size);
  const content: Box = { x: x + sides.left, width: Math.max(1, width - sides.left - sides.right) };
  const said = own.get('background-color') ?? own.get('background') ?? row.own.get('background-color');
  return {
    box: { x, width },
    padding: sides,
    pieces: contentOf(element, text, content, setting),
    colour: said === undefined && element.name === 'th' && usual !== undefined ? headColour : colourIn(said),
    line: lineOf(own, usual),
  };
}

function contentOf(element: Element, style: TextStyle, box: Box, setting: TableSetting): readonly Piece[] {
  const collector = new Collector();
  setting.addContent(element, style, box, collector);
  return collector.pieces;
}

/** What a cell needs so that nothing of it is divided. */
function contentWidth({ element, styled }: Cell, setting: TableSetting): number {
  const wide = 100_000;
  let widest = 0;
  const pieces = contentOf(element, { ...styled.text, align: 'left' }, { x: 0, width: wide }, setting);
  for (const piece of pieces) if ('width' in piece) widest = Math.max(widest, piece.width as number);
  return widest + padding.left + padding.right + 1;
}

/** A row as one piece, or as several where it is higher than `tallest`. */
function rowPieces(cells: readonly Filled[], tallest: number): readonly Piece[] {
  if (cells.length === 0) return [];
  const pieces: Piece[] = [];
  let waiting = cells;
  for (;;) {
    const taken = waiting.map((cell) => partOf(cell, tallest - cell.padding.top - cell.padding.bottom));
    const now = waiting.map((cell, at) => ({ ...cell, pieces: cell.pieces.slice(0, taken[at]) }));
    pieces.push(rowPiece(now));
    waiting = waiting.map((cell, at) => ({ ...cell, pieces: cell.pieces.slice(taken[at]) }));
    if (waiting.every((cell) => cell.pieces.length === 0)) return pieces;
  }
}

/** How many pieces of a cell fit, at least one. */
function partOf({ pieces }: Filled, room: number): number {
  let height = 0;
  for (let at = 0; at < pieces.length; at++) {
    height += (pieces[at] as Piece).height;
    if (height > room && at > 0) return at;
  }
  return pieces.length;
}

function rowPiece(cells: readonly Filled[]): Piece {
  const height = Math.max(
    ...cells.map(({ pieces, padding: { top, bottom } }) => heightOf(pieces) + top + bottom),
    7 * millimetre,
  );
  return {
    height,
    paint: (canvas, y) => {
      for (const { box, colour } of cells) if (colour) canvas.area(box.x, y, box.width, height, colour);
      for (const { box, line } of cells)
        if (line !== undefined) canvas.frame(box.x, y, box.width, height, line.width, line.colour);
      for (const {
        pieces,
        padding: { top },
      } of cells)
        paintAll(pieces, canvas, y + top);
    },
  };
}

/** `border: 1px solid #ccc`, or none. */
function lineOf(own: Declarations, usual: Line | undefined): Line | undefined {
  const said = own.get('border');
  if (said === undefined) return usual;
  const words = said.trim().split(/\s+/);
  if (words.some((word) => /^(?:none|hidden|0(?:[a-z]{2})?)$/i.test(word))) return undefined;
  const width = words.map((word) => pointsIn(word, 0, 10)).find((points) => points !== undefined) ?? 1;
  const colour = words.map((word) => colourIn(word)).find((each) => typeof each === 'string') ?? '#000000';
  return { width: Math.min(20, width), colour };
}
