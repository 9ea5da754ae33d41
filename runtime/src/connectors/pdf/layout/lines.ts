import type { Alignment, TextStyle } from '../html/style.ts';
import type { Canvas } from '../paint/canvas.ts';
import type { Face } from '../paint/fonts.ts';
import type { Piece } from './piece.ts';
import type { Item, Segment } from './words.ts';

/** Where something is set. Points. */
export interface Box {
  readonly x: number;
  readonly width: number;
}

/** Heights of lines as a part of the size of their text: 6 mm for 12 points. */
export const leading = 17 / 12;

type Placed = { readonly item: Exclude<Item, { readonly kind: 'break' }>; readonly space: number };

/** Words one after another in lines, as many in each as there is room for. A word that is wider than the box is divided. */
export function linesOf(items: readonly Item[], box: Box, style: TextStyle): readonly Piece[] {
  const lines: Piece[] = [];
  let line: Placed[] = [];
  let width = 0;
  const end = (isLast: boolean, of: TextStyle) => {
    lines.push(new Line(line, width, box, style.align, isLast, of));
    line = [];
    width = 0;
  };
  for (let at = 0; at < items.length; ) {
    const first = items[at] as Item;
    if (first.kind === 'break') {
      end(true, first.style);
      at++;
      continue;
    }
    const group = [first];
    for (at++; at < items.length; at++) {
      const next = items[at] as Item;
      if (next.kind !== 'word' || next.breaks) break;
      group.push(next);
    }
    const wide = group.reduce((sum, each) => sum + each.width, 0);
    if (line.length > 0 && width + first.space + wide > box.width + 0.01) end(false, style);
    for (const part of wide > box.width + 0.01 ? divided(group, box.width) : [group]) {
      if (part !== group && line.length > 0) end(false, style);
      part.forEach((item, index) => {
        const space = line.length === 0 || index > 0 ? 0 : first.space;
        line.push({ item, space });
        width += space + item.width;
      });
    }
  }
  if (line.length > 0) end(true, style);
  return lines;
}

type Content = Placed['item'];

/** A word in parts that fit, at least one character each. */
function divided(group: readonly Content[], width: number): Content[][] {
  const parts: Content[][] = [[]];
  let used = 0;
  const add = (item: Content) => {
    if (used > 0 && used + item.width > width) {
      parts.push([]);
      used = 0;
    }
    (parts.at(-1) as Content[]).push(item);
    used += item.width;
  };
  for (const item of group) {
    if (item.kind === 'picture') {
      add(item);
      continue;
    }
    for (const { text, face, style } of item.segments) {
      let part = '';
      let partWidth = 0;
      const end = () => {
        if (part !== '') add({ ...item, segments: [{ text: part, face, style, width: partWidth }], width: partWidth });
        part = '';
        partWidth = 0;
      };
      for (const character of text) {
        const wide = face.width(character) * style.size;
        if (used + partWidth + wide > width && part !== '') end();
        part += character;
        partWidth += wide;
      }
      end();
    }
  }
  return parts;
}

/** One line of words. */
class Line implements Piece {
  readonly height: number;
  /** What its words take. */
  readonly width: number;
  readonly #parts: readonly Placed[];
  readonly #start: number;
  /** Added to each blank of a justified line. */
  readonly #stretch: number;
  readonly #baseline: number;

  constructor(parts: readonly Placed[], width: number, box: Box, align: Alignment, isLast: boolean, style: TextStyle) {
    this.#parts = parts;
    this.width = width;
    const free = Math.max(0, box.width - width);
    this.#start = box.x + (align === 'right' ? free : align === 'center' ? free / 2 : 0);
    const blanks = parts.filter(({ space }) => space > 0).length;
    this.#stretch = align === 'justify' && !isLast && blanks > 0 ? free / blanks : 0;
    let above = 0;
    let below = 0;
    const count = (size: number, face: Face | undefined) => {
      const [ascender, descender] = face === undefined ? [0.75, -0.25] : [face.ascender, face.descender];
      const gap = Math.max(0, size * leading - (ascender - descender) * size) / 2;
      above = Math.max(above, ascender * size + gap);
      below = Math.max(below, gap - descender * size);
    };
    if (parts.length === 0) count(style.size, undefined);
    for (const { item } of parts)
      if (item.kind === 'picture') above = Math.max(above, item.height);
      else for (const { style: own, face } of item.segments) count(own.size, face);
    this.height = above + below;
    this.#baseline = above;
  }

  paint(canvas: Canvas, y: number): void {
    let x = this.#start;
    const waiting: { run: Run | undefined } = { run: undefined };
    const flush = () => {
      if (waiting.run !== undefined) paintRun(canvas, waiting.run, y, this.#baseline, this.height);
      waiting.run = undefined;
    };
    for (const { item, space } of this.#parts) {
      const gap = space > 0 ? space + this.#stretch : 0;
      if (item.kind === 'picture') {
        flush();
        canvas.picture(item.picture, x + gap, y + this.#baseline - item.height, item.width, item.height);
        x += gap + item.width;
        continue;
      }
      let before = gap;
      for (const segment of item.segments) {
        const { run } = waiting;
        const joins =
          run?.face === segment.face && run.style === segment.style && (before === 0 || this.#stretch === 0);
        if (run !== undefined && joins) {
          run.text += (before > 0 ? ' ' : '') + segment.text;
          run.width += before + segment.width;
        } else {
          flush();
          waiting.run = { ...segment, x: x + before };
        }
        x += before + segment.width;
        before = 0;
      }
    }
    flush();
  }
}

interface Run extends Pick<Segment, 'face' | 'style'> {
  text: string;
  width: number;
  readonly x: number;
}

function paintRun(
  canvas: Canvas,
  { text, face, style, width, x }: Run,
  top: number,
  baseline: number,
  height: number,
): void {
  const y = top + baseline - style.raised;
  canvas.text(text, face, style.size, style.colour, x, y, width);
  const line = Math.max(0.5, style.size / 20);
  if (style.underline) canvas.line(x, y + line * 2, x + width, y + line * 2, line, style.colour);
  if (style.strike) canvas.line(x, y - style.size * 0.28, x + width, y - style.size * 0.28, line, style.colour);
  if (style.link !== undefined) canvas.link(x, top, width, height, style.link);
}
