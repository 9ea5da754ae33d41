import { Failure } from '../../../foundation/errors/failure.ts';
import type { FontFace } from '../html/sheet.ts';

/** One cut of a font, as text is measured and painted with it. */
export interface Face {
  /** What the document knows it by. */
  readonly name: string;
  /** Of the size 1: from the baseline of text to its top, and to its bottom (below 0). */
  readonly ascender: number;
  readonly descender: number;
  has(codePoint: number): boolean;
  /** Of the size 1. */
  width(text: string): number;
}

/** The parts of a PDFKit document that fonts need. */
export interface FontDocument {
  font(source: string): unknown;
  registerFont(name: string, source: Uint8Array): unknown;
}

interface KitFont {
  readonly ascender: number;
  readonly descender: number;
  widthOfString(text: string, size: number): number;
  readonly font?: { hasGlyphForCodePoint?(codePoint: number): boolean };
}

const builtIn: Readonly<Record<string, readonly [string, string, string, string]>> = {
  helvetica: ['Helvetica', 'Helvetica-Bold', 'Helvetica-Oblique', 'Helvetica-BoldOblique'],
  times: ['Times-Roman', 'Times-Bold', 'Times-Italic', 'Times-BoldItalic'],
  courier: ['Courier', 'Courier-Bold', 'Courier-Oblique', 'Courier-BoldOblique'],
};

const synonyms: Readonly<Record<string, string>> = {
  arial: 'helvetica',
  'sans-serif': 'helvetica',
  'times new roman': 'times',
  'times-roman': 'times',
  serif: 'times',
  'courier new': 'courier',
  monospace: 'courier',
};

/** What built-in fonts have beyond Latin-1 (Windows-1252). */
const windows = new Set([...'€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ'].map((each) => each.codePointAt(0)));

/** Texts of which the width is remembered. */
const mostMeasured = 20_000;

/** The fonts of one document: those that every reader of PDF has, and those that it brings. */
export class Fonts {
  readonly #document: FontDocument;
  readonly #brought: readonly (FontFace & { readonly bytes: Uint8Array })[];
  readonly #faces = new Map<string, Face>();

  constructor(document: FontDocument, brought: readonly (FontFace & { readonly bytes: Uint8Array })[]) {
    this.#document = document;
    this.#brought = brought;
  }

  /** The cuts to set text with, the preferred one first: what one lacks is taken of the next. */
  facesOf(families: readonly string[], bold: boolean, italic: boolean): readonly Face[] {
    const key = `${bold} ${italic} ${families.join()}`;
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const names = [...families, ...this.#brought.map(({ family }) => family), 'helvetica'];
    const faces = [...new Set(names.flatMap((family) => this.#face(family, bold, italic) ?? []))];
    this.#lists.set(key, faces);
    return faces;
  }

  readonly #lists = new Map<string, readonly Face[]>();

  #face(family: string, bold: boolean, italic: boolean): Face | undefined {
    const own = this.#brought.filter((face) => face.family === family);
    const [best] = own.sort((a, b) => fit(b, bold, italic) - fit(a, bold, italic));
    if (best !== undefined) return this.#load(`${best.family} ${best.path}`, best);
    const name = Object.hasOwn(synonyms, family) ? (synonyms[family] as string) : family;
    const cuts = Object.hasOwn(builtIn, name) ? builtIn[name] : undefined;
    return cuts && this.#load(cuts[(bold ? 1 : 0) + (italic ? 2 : 0)] as string, undefined);
  }

  #load(name: string, brought: (FontFace & { readonly bytes: Uint8Array }) | undefined): Face {
    const known = this.#faces.get(name);
    if (known !== undefined) return known;
    let font: KitFont;
    try {
      if (brought !== undefined) this.#document.registerFont(name, brought.bytes);
      this.#document.font(name);
      font = (this.#document as unknown as { readonly _font: KitFont })._font;
    } catch (cause) {
      const message = `the font "${brought?.path ?? name}" cannot be read: it must be a TrueType or OpenType font`;
      throw new Failure('connector_failed', message, { cause, retriable: false });
    }
    const widths = new Map<string, number>();
    const glyphs = font.font;
    const face: Face = {
      name,
      ascender: font.ascender / 1000,
      descender: font.descender / 1000,
      has: brought === undefined ? isWindows : (codePoint) => glyphs?.hasGlyphForCodePoint?.(codePoint) === true,
      width: (text) => {
        const measured = widths.get(text);
        if (measured !== undefined) return measured;
        const width = font.widthOfString(text, 1);
        if (widths.size > mostMeasured) widths.clear();
        widths.set(text, width);
        return width;
      },
    };
    this.#faces.set(name, face);
    return face;
  }
}

/** Whether a family is one that every reader of PDF has. */
export function isBuiltIn(family: string): boolean {
  const name = family.toLowerCase();
  return Object.hasOwn(builtIn, name) || Object.hasOwn(synonyms, name);
}

function fit(face: FontFace, bold: boolean, italic: boolean): number {
  return (face.bold === bold ? 2 : 0) + (face.italic === italic ? 1 : 0);
}

function isWindows(codePoint: number): boolean {
  return (codePoint >= 0x20 && codePoint <= 0x7e) || (codePoint >= 0xa0 && codePoint <= 0xff) || windows.has(codePoint);
}
