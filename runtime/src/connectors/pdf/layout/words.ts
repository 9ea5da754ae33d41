import type { TextStyle } from '../html/style.ts';
import type { Picture } from '../paint/canvas.ts';
import type { Face, Fonts } from '../paint/fonts.ts';

/** A part of a word that is painted at once. */
export interface Segment {
  readonly text: string;
  readonly face: Face;
  readonly style: TextStyle;
  /** Points. */
  readonly width: number;
}

/** What is set in a line. */
export type Item =
  | {
      readonly kind: 'word';
      readonly segments: readonly Segment[];
      readonly width: number;
      /** The blank before it; 0 without one. */
      readonly space: number;
      /** A line may end before it. */
      readonly breaks: boolean;
    }
  | {
      readonly kind: 'picture';
      readonly picture: Picture;
      readonly width: number;
      readonly height: number;
      readonly space: number;
    }
  | { readonly kind: 'break'; readonly style: TextStyle };

const ideograph = String.raw`[\u2e80-\u303f\u3040-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uff60]`;
/** Where a line may end inside of a word: at ideographs, behind a hyphen before a letter, where the text says so. */
const opportunity = new RegExp(
  String.raw`(?<=${ideograph})|(?=${ideograph})|(?<=[\p{L}\p{N}]-)(?=\p{L})|[\u200b\u00ad]`,
  'u',
);
const invisible = /[\u200b-\u200d\u2060\ufeff\u00ad]/gu;

/** Makes words of texts, and tells which characters no font has. */
export class Words {
  readonly items: Item[] = [];
  readonly #fonts: Fonts;
  readonly #lacks: (character: string) => void;
  /** The style of a blank that comes before the next word. */
  #blank: TextStyle | undefined;
  #isFirst = true;

  constructor(fonts: Fonts, lacks: (character: string) => void) {
    this.#fonts = fonts;
    this.#lacks = lacks;
  }

  text(written: string, style: TextStyle): void {
    if (style.keepsBlanks) return this.#written(written, style);
    const text = written.normalize('NFC');
    let at = 0;
    for (const { 0: blanks, index } of text.matchAll(/[ \t\r\n\f]+/g)) {
      if (index > at) this.#word(text.slice(at, index), style);
      this.#blank = style;
      at = index + blanks.length;
    }
    if (at < text.length) this.#word(text.slice(at), style);
  }

  break(style: TextStyle): void {
    this.items.push({ kind: 'break', style });
    this.#blank = undefined;
    this.#isFirst = true;
  }

  picture(picture: Picture, width: number, height: number): void {
    this.items.push({ kind: 'picture', picture, width, height, space: this.#takeBlank() });
  }

  #written(text: string, style: TextStyle): void {
    text
      .normalize('NFC')
      .replaceAll(/\r\n?/g, '\n')
      .split('\n')
      .forEach((line, at) => {
        if (at > 0) this.break(style);
        const kept = line.replaceAll('\t', '    ').replaceAll(' ', '\u00a0');
        if (kept !== '') this.#word(kept, style);
      });
  }

  #word(text: string, style: TextStyle): void {
    text.split(opportunity).forEach((part, at) => {
      const shown = part.replaceAll(invisible, '');
      if (shown === '') return;
      const segments = this.#segments(shown, style);
      const width = segments.reduce((sum, segment) => sum + segment.width, 0);
      const hasBlank = this.#blank !== undefined;
      const space = this.#takeBlank();
      this.items.push({ kind: 'word', segments, width, space, breaks: hasBlank || at > 0 });
    });
  }

  #takeBlank(): number {
    const style = this.#blank;
    this.#blank = undefined;
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (style === undefined || isFirst) return 0;
    const [face] = this.#fonts.facesOf(style.families, style.bold, style.italic);
    return (face as Face).width(' ') * style.size;
  }

  /** A word in the fonts that have its characters. */
  #segments(text: string, style: TextStyle): readonly Segment[] {
    const faces = this.#fonts.facesOf(style.families, style.bold, style.italic);
    const segments: Segment[] = [];
    let face = faces[0] as Face;
    let part = '';
    const end = () => {
      if (part !== '') segments.push({ text: part, face, style, width: face.width(part) * style.size });
      part = '';
    };
    for (const character of text) {
      const codePoint = character.codePointAt(0) as number;
      const found = faces.find((each) => each.has(codePoint));
      if (found === undefined) this.#lacks(character);
      const next = found ?? (faces[0] as Face);
      if (next !== face) end();
      face = next;
      part += found === undefined ? replacement : character;
    }
    end();
    return segments;
  }
}

/** Printed where no font has the character. */
const replacement = '?';
