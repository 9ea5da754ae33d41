import { Failure } from '../../../foundation/errors/failure.ts';
import type { Canvas } from '../paint/canvas.ts';
import type { Piece, Sink } from './piece.ts';

/** Where on a page there is text. Points from its top left corner. */
export interface PageArea {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly bottom: number;
}

/** Pieces that wait for the one that they belong to. */
const mostHeld = 32;

/** Puts pieces on pages, and begins a page where one does not fit any more. */
export class Pages implements Sink {
  readonly #area: PageArea;
  readonly #canvas: Canvas;
  readonly #begin: () => void;
  readonly #most: number;
  #count = 0;
  #y = 0;
  #space = 0;
  #isFresh = true;
  #held: { readonly space: number; readonly piece: Piece }[] = [];
  #repeated: readonly Piece[] = [];

  /** `begin` makes the next page the present one. */
  constructor(area: PageArea, canvas: Canvas, begin: () => void, most: number) {
    this.#area = area;
    this.#canvas = canvas;
    this.#begin = begin;
    this.#most = most;
    this.#next();
  }

  get count(): number {
    return this.#count;
  }

  add(piece: Piece): void {
    this.#held.push({ space: this.#space, piece });
    this.#space = 0;
    if (piece.keeps !== true || this.#held.length >= mostHeld) this.#place();
  }

  space(points: number): void {
    this.#space = Math.max(this.#space, points);
  }

  breakPage(): void {
    this.#place();
    this.#space = 0;
    if (!this.#isFresh) this.#next();
  }

  repeating(pieces: readonly Piece[], work: () => void): void {
    this.#place();
    const before = this.#repeated;
    const height = heightOf(pieces);
    // What takes most of a page leaves no room for what it is repeated for.
    const fits = height < (this.#area.bottom - this.#area.top) / 2;
    for (const piece of pieces) this.add({ ...piece, paint: (canvas, y) => piece.paint(canvas, y), keeps: true });
    this.#repeated = fits ? pieces : [];
    work();
    this.#place();
    this.#repeated = before;
  }

  /** What still waits is placed. */
  end(): void {
    this.#place();
  }

  #place(): void {
    const held = this.#held;
    this.#held = [];
    const height = held.reduce((sum, { space, piece }) => sum + space + piece.height, 0);
    const { top, bottom } = this.#area;
    if (!this.#isFresh && this.#y + height > bottom + tolerance && height <= bottom - top) this.#next();
    for (const { space, piece } of held) {
      if (!this.#isFresh && this.#y + space + piece.height > bottom + tolerance) this.#next();
      if (!this.#isFresh) this.#y += space;
      piece.paint(this.#canvas, this.#y);
      this.#y += piece.height;
      this.#isFresh = false;
    }
  }

  #next(): void {
    if (++this.#count > this.#most)
      throw new Failure('body_too_large', `the document has more than ${this.#most} pages (max_pages)`);
    this.#begin();
    this.#y = this.#area.top;
    for (const piece of this.#repeated) {
      piece.paint(this.#canvas, this.#y);
      this.#y += piece.height;
    }
    this.#isFresh = true;
  }
}

/** Sums of fractions are not exact. */
const tolerance = 0.01;

export function heightOf(pieces: readonly Piece[]): number {
  return pieces.reduce((sum, { height }) => sum + height, 0);
}
