import { colourIn, type Declarations, pointsIn } from '../html/declarations.ts';
import type { Sheet } from '../html/sheet.ts';
import { type Styled, styleOf, type TextStyle } from '../html/style.ts';
import type { Element } from '../html/tree.ts';
import type { Picture } from '../paint/canvas.ts';
import type { Fonts } from '../paint/fonts.ts';
import { type Box, linesOf } from './lines.ts';
import { markerOf } from './list.ts';
import { Collector, Decorated, type Piece, type Sink } from './piece.ts';
import { noSides, type Sides, sidesOf } from './sides.ts';
import { addTable } from './table/table.ts';
import { Words } from './words.ts';

/** What the layout of a document needs of it. */
export interface Setting {
  readonly sheet: Sheet;
  readonly fonts: Fonts;
  /** The picture of a source that was loaded. */
  readonly picture: (source: string) => Picture;
  /** No font has the character. */
  readonly lacks: (character: string) => void;
  /** The height that a picture may have. */
  readonly tallest: number;
  /** Texts of elements that the page decides, by their class. */
  readonly counters?: Readonly<Record<string, string>> | undefined;
}

const millimetre = 72 / 25.4;

/** Elements that are set below each other, and the space around them. */
const blocks: Readonly<Record<string, Sides>> = {
  p: { ...noSides, top: 2 * millimetre, bottom: 2 * millimetre },
  blockquote: { top: 2 * millimetre, bottom: 2 * millimetre, left: 8 * millimetre, right: 8 * millimetre },
  figure: { ...noSides, top: 2 * millimetre, bottom: 2 * millimetre },
  pre: { ...noSides, top: 2 * millimetre, bottom: 2 * millimetre },
  ul: { ...noSides, left: 8 * millimetre },
  ol: { ...noSides, left: 8 * millimetre },
  dd: { ...noSides, left: 8 * millimetre },
  ...Object.fromEntries(
    ['h1', 'h2', 'h3', 'h4', 'h5', 'h6'].map((name) => [name, { ...noSides, top: millimetre, bottom: millimetre }]),
  ),
  ...Object.fromEntries(
    'html body div section article main header footer nav aside address center figcaption dl dt li form fieldset details summary hgroup table caption'
      .split(' ')
      .map((name) => [name, noSides]),
  ),
};

/** Elements of which nothing is printed. */
const hidden = new Set(
  'head style title script noscript template iframe object svg math select audio video meta link'.split(' '),
);

/** Lays out what is in an element, into a sink. */
export function addContent(element: Element, style: TextStyle, box: Box, sink: Sink, setting: Setting): void {
  const inline = new Inline(style, box, sink, setting);
  for (const child of element.children) inline.add(child, style, element);
  inline.end();
}

/** What an element would be on pages that have room for it. */
export function collected(element: Element, style: TextStyle, box: Box, setting: Setting): Collector {
  const collector = new Collector();
  addContent(element, style, box, collector, setting);
  return collector;
}

/** Collects what is set in lines until something comes that is set below it. */
class Inline {
  readonly #style: TextStyle;
  readonly #box: Box;
  readonly #sink: Sink;
  readonly #setting: Setting;
  #words: Words;

  constructor(style: TextStyle, box: Box, sink: Sink, setting: Setting) {
    this.#style = style;
    this.#box = box;
    this.#sink = sink;
    this.#setting = setting;
    this.#words = this.#fresh();
  }

  add(node: Element | string, style: TextStyle, around: Element): void {
    if (typeof node === 'string') return this.#words.text(node, style);
    const { name } = node;
    if (hidden.has(name)) return;
    const styled = styleOf(node, style, this.#setting.sheet);
    const { text, own } = styled;
    const display = own.get('display')?.toLowerCase();
    if (display === 'none' || own.get('position')?.toLowerCase() === 'fixed') return;
    if (name === 'br') return this.#words.break(text);
    if (name === 'img') return this.#picture(node, styled);
    const isBlock = display === 'block' || (Object.hasOwn(blocks, name) && display !== 'inline');
    if (isBlock || name === 'hr') return this.#block(node, styled, around);
    const counter = this.#counter(node);
    if (counter !== undefined) return this.#words.text(counter, text);
    for (const child of node.children) this.add(child, text, node);
  }

  /** What was collected becomes lines. */
  end(): void {
    const { items } = this.#words;
    if (items.length === 0) return;
    for (const line of linesOf(items, this.#box, this.#style)) this.#sink.add(line);
    this.#words = this.#fresh();
  }

  #fresh(): Words {
    return new Words(this.#setting.fonts, this.#setting.lacks);
  }

  #counter({ attributes }: Element): string | undefined {
    const { counters } = this.#setting;
    const name = attributes['class'];
    return counters !== undefined && name !== undefined && Object.hasOwn(counters, name) ? counters[name] : undefined;
  }

  #picture(element: Element, { own, text }: Styled): void {
    const { tallest, picture: find } = this.#setting;
    const picture = find(element.attributes['src'] ?? '');
    const wide = pointsIn(own.get('width'), this.#box.width, text.size);
    const high = pointsIn(own.get('height'), tallest, text.size);
    const ratio = picture.height / picture.width;
    let [width, height] = [
      wide ?? (high === undefined ? picture.width : high / ratio),
      high ?? (wide ?? picture.width) * ratio,
    ];
    const scale = Math.min(1, this.#box.width / width, tallest / height);
    [width, height] = [Math.max(0.1, width * scale), Math.max(0.1, height * scale)];
    this.#words.picture(picture, width, height);
  }

  #block(element: Element, styled: Styled, around: Element): void {
    this.end();
    addBlock(element, styled, this.#box, this.#sink, this.#setting, around);
  }
}

function addBlock(
  element: Element,
  { text, own }: Styled,
  around: Box,
  sink: Sink,
  setting: Setting,
  parent: Element,
): void {
  const { name } = element;
  const margin = sidesOf(own, 'margin', blocks[name] ?? noSides, around.width, text.size);
  if (breaks(own, 'before')) sink.breakPage();
  sink.space(margin.top);
  const box = boxIn(around, margin, own, text.size);
  if (name === 'hr') sink.add(rule(box));
  else {
    const padding = sidesOf(own, 'padding', noSides, box.width, text.size);
    const content: Box = { x: box.x + padding.left, width: Math.max(1, box.width - padding.left - padding.right) };
    const inside = decorated(element, text, own, box, setting, sink, parent);
    if (padding.top > 0) inside.add({ height: padding.top, paint: () => undefined, keeps: true });
    if (name === 'table')
      addTable(element, text, own, content, inside, {
        sheet: setting.sheet,
        tallest: setting.tallest,
        addContent: (child, style, area, into) => addContent(child, style, area, into, setting),
      });
    else if (own.get('page-break-inside') === 'avoid' || own.get('break-inside') === 'avoid') {
      const { pieces } = collected(element, text, content, setting);
      for (const [at, piece] of pieces.entries()) inside.add(at === pieces.length - 1 ? piece : kept(piece));
    } else addContent(element, text, content, inside, setting);
    if (padding.bottom > 0) inside.add({ height: padding.bottom, paint: () => undefined });
  }
  sink.space(margin.bottom);
  if (breaks(own, 'after')) sink.breakPage();
}

function decorated(
  element: Element,
  text: TextStyle,
  own: Declarations,
  box: Box,
  setting: Setting,
  sink: Sink,
  parent: Element,
): Sink {
  const { name } = element;
  let inside = sink;
  const colour = name === 'table' ? undefined : colourIn(own.get('background-color') ?? own.get('background'));
  if (colour)
    inside = new Decorated(inside, (piece) => ({
      ...withHeight(piece),
      paint: (canvas, y) => {
        canvas.area(box.x, y, box.width, piece.height, colour);
        piece.paint(canvas, y);
      },
    }));
  // A heading is never the last line of a page.
  if (/^h[1-6]$/.test(name)) inside = new Decorated(inside, kept);
  if (name !== 'li') return inside;
  const marker = markerOf(element, parent, text, setting.fonts);
  return new Decorated(inside, (piece, isFirst) =>
    isFirst && marker !== undefined
      ? {
          ...withHeight(piece),
          paint: (canvas, y) => {
            marker(canvas, box.x, y);
            piece.paint(canvas, y);
          },
        }
      : piece,
  );
}

function withHeight({ height, keeps }: Piece): Pick<Piece, 'height' | 'keeps'> {
  return keeps === undefined ? { height } : { height, keeps };
}

function kept(piece: Piece): Piece {
  return { height: piece.height, keeps: true, paint: (canvas, y) => piece.paint(canvas, y) };
}

function boxIn(around: Box, margin: Sides, own: Declarations, em: number): Box {
  const room = Math.max(1, around.width - margin.left - margin.right);
  const wide = pointsIn(own.get('width'), room, em);
  const width = wide === undefined ? room : Math.min(room, Math.max(1, wide));
  const isPushed = own.get('margin-left') === 'auto';
  const isCentred = /^\S+\s+auto$/.test(own.get('margin') ?? '') || (isPushed && own.get('margin-right') === 'auto');
  const free = room - width;
  return { x: around.x + margin.left + (isCentred ? free / 2 : isPushed ? free : 0), width };
}

function rule(box: Box): Piece {
  return {
    height: 2 * millimetre,
    paint: (canvas, y) => canvas.line(box.x, y + millimetre, box.x + box.width, y + millimetre, 0.5, '#808080'),
  };
}

function breaks(own: Declarations, side: 'before' | 'after'): boolean {
  const word = own.get(`break-${side}`) ?? own.get(`page-break-${side}`);
  return word !== undefined && /^(?:always|page|left|right)$/i.test(word);
}
