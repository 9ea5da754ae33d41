import type { XmlEvents } from '../xml/reader.ts';
import { localName } from '../xml/tree.ts';
import type { NumberKind } from './number-text.ts';

/** Formats that have a number and are not written (ECMA-376, part 1, 18.8.30), those of East Asia among them. */
const builtIn: ReadonlyMap<number, NumberKind> = new Map<number, NumberKind>([
  ...[14, 15, 16, 17, 27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 32, 33, 34, 35, 45, 47, 55, 56].map((id) => [id, 'time'] as const),
  [22, 'date-time'],
  [46, 'elapsed'],
]);

/** Reads which formats of cells are dates and times. */
export class Styles implements XmlEvents {
  readonly #written = new Map<number, NumberKind>();
  readonly #formats: number[] = [];
  #isInCells = false;

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    const local = localName(name);
    if (local === 'cellXfs') this.#isInCells = true;
    else if (local === 'numFmt')
      this.#written.set(Number(attributes['numFmtId']), kindOf(attributes['formatCode'] ?? ''));
    else if (local === 'xf' && this.#isInCells) this.#formats.push(Number(attributes['numFmtId'] ?? 0));
  }

  close(name: string): void {
    if (localName(name) === 'cellXfs') this.#isInCells = false;
  }

  /** What the format of a cell says, by its number in the attribute `s`. */
  kindOf(style: string | undefined): NumberKind {
    const format = style === undefined ? undefined : this.#formats[Number(style)];
    if (format === undefined) return 'number';
    return this.#written.get(format) ?? builtIn.get(format) ?? 'number';
  }
}

/** What a written format shows: letters outside of quotes, escapes and colours say it, in the part for positive numbers. */
export function kindOf(code: string): NumberKind {
  const plain = code.slice(0, 1_000).replace(/"[^"]*"|[\\_*]./g, '');
  const [positive = ''] = plain.split(';');
  if (/\[(?:h+|m+|s+)\]/i.test(positive)) return 'elapsed';
  const letters = positive.replace(/\[[^\]]*\]/g, '').replace(/general|am\/pm|a\/p/gi, '');
  const hasTime = /[hs]/i.test(letters);
  // Months and minutes have one letter.
  const hasDate = /[yd]/i.test(letters) || (/m/i.test(letters) && !hasTime);
  if (hasDate) return hasTime ? 'date-time' : 'date';
  return hasTime ? 'time' : 'number';
}
