import type { Canvas } from '../paint/canvas.ts';

/** What is never divided between two pages: a line, a picture, a row of a table. */
export interface Piece {
  /** Points. */
  readonly height: number;
  /** `y` is its top. */
  paint(canvas: Canvas, y: number): void;
  /** The next piece belongs on the same page. */
  readonly keeps?: boolean;
}

/** Takes the pieces of a document one below the other. */
export interface Sink {
  add(piece: Piece): void;
  /** Empty space before what follows; of several the largest counts, and none at the top of a page. */
  space(points: number): void;
  /** What follows begins a page. */
  breakPage(): void;
  /** While `work` adds pieces, these are repeated at the top of each page that it begins. */
  repeating(pieces: readonly Piece[], work: () => void): void;
}

/** Pieces that are kept, to be placed together. */
export class Collector implements Sink {
  readonly pieces: Piece[] = [];
  height = 0;
  #space = 0;

  add(piece: Piece): void {
    if (this.#space > 0 && this.pieces.length > 0) this.#push({ height: this.#space, paint: () => undefined });
    this.#space = 0;
    this.#push(piece);
  }

  space(points: number): void {
    this.#space = Math.max(this.#space, points);
  }

  breakPage(): void {
    // What is set beside something else cannot begin a page.
  }

  repeating(pieces: readonly Piece[], work: () => void): void {
    for (const piece of pieces) this.add(piece);
    work();
  }

  #push(piece: Piece): void {
    this.pieces.push(piece);
    this.height += piece.height;
  }
}

/** Paints something behind or beside each piece that passes. */
export class Decorated implements Sink {
  readonly #sink: Sink;
  readonly #decorate: (piece: Piece, isFirst: boolean) => Piece;
  #isFirst = true;
  #space = 0;

  constructor(sink: Sink, decorate: (piece: Piece, isFirst: boolean) => Piece) {
    this.#sink = sink;
    this.#decorate = decorate;
  }

  add(piece: Piece): void {
    if (this.#space > 0) {
      if (this.#isFirst) this.#sink.space(this.#space);
      else this.#sink.add(this.#decorate({ height: this.#space, paint: () => undefined, keeps: true }, false));
    }
    this.#space = 0;
    this.#sink.add(this.#decorate(piece, this.#isFirst));
    this.#isFirst = false;
  }

  space(points: number): void {
    this.#space = Math.max(this.#space, points);
  }

  breakPage(): void {
    this.#space = 0;
    this.#sink.breakPage();
  }

  repeating(pieces: readonly Piece[], work: () => void): void {
    this.#sink.repeating(pieces, work);
  }
}

/** Paints pieces one below the other from `y` on. */
export function paintAll(pieces: readonly Piece[], canvas: Canvas, y: number): void {
  let at = y;
  for (const piece of pieces) {
    piece.paint(canvas, at);
    at += piece.height;
  }
}
