import type { Face } from './fonts.ts';

/** A picture that the document has. */
export interface Picture {
  /** Points: one for each pixel. */
  readonly width: number;
  readonly height: number;
}

/** The parts of a PDFKit document that are painted with. */
export interface KitDocument {
  font(source: string): unknown;
  fontSize(size: number): unknown;
  fillColor(colour: string): unknown;
  strokeColor(colour: string): unknown;
  lineWidth(points: number): unknown;
  text(text: string, x: number, y: number, options: object): unknown;
  rect(x: number, y: number, width: number, height: number): KitDocument;
  moveTo(x: number, y: number): KitDocument;
  lineTo(x: number, y: number): KitDocument;
  fill(colour: string): unknown;
  stroke(colour?: string): unknown;
  image(picture: Picture, x: number, y: number, options: object): unknown;
  link(x: number, y: number, width: number, height: number, address: string): unknown;
}

/** Paints on the present page, from its top left corner. Lengths in points. */
export class Canvas {
  readonly #document: KitDocument;

  constructor(document: KitDocument) {
    this.#document = document;
  }

  /** Text without line breaks; `y` is its baseline, and `width` what it takes. */
  text(text: string, face: Face, size: number, colour: string, x: number, y: number, width: number): void {
    const document = this.#document;
    document.font(face.name);
    document.fontSize(size);
    document.fillColor(colour);
    document.text(text, x, y, { lineBreak: false, baseline: 'alphabetic', textWidth: width, wordCount: 0 });
  }

  line(fromX: number, fromY: number, toX: number, toY: number, width: number, colour: string): void {
    this.#document.lineWidth(width);
    this.#document.moveTo(fromX, fromY).lineTo(toX, toY).stroke(colour);
  }

  area(x: number, y: number, width: number, height: number, colour: string): void {
    this.#document.rect(x, y, width, height).fill(colour);
  }

  frame(x: number, y: number, width: number, height: number, line: number, colour: string): void {
    this.#document.lineWidth(line);
    this.#document.rect(x, y, width, height).stroke(colour);
  }

  picture(picture: Picture, x: number, y: number, width: number, height: number): void {
    this.#document.image(picture, x, y, { width, height });
  }

  link(x: number, y: number, width: number, height: number, address: string): void {
    this.#document.link(x, y, width, height, address);
  }
}
