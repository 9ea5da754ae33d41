import type { XmlEvents } from '../xml/reader.ts';
import { localName } from '../xml/tree.ts';
import { limits, sheetSize } from './limits.ts';
import { numberText } from './number-text.ts';
import { notExcel, tooLarge } from './package.ts';
import type { Styles } from './styles.ts';
import { type SharedTexts, unescaped } from './texts.ts';

/** What cells of a sheet refer to. */
export interface SheetContext {
  readonly texts: SharedTexts;
  readonly styles: Styles;
  /** Days are counted from 1904. */
  readonly is1904: boolean;
}

/**
 * A row of a sheet, as it crosses threads: its number, then column and text of each cell that has one, in the order of
 * columns. Both count from 1.
 */
export type SheetRow = readonly (number | string)[];

/**
 * Reads the rows of a sheet that have a text; what is merged, styled or empty costs nothing. Throws `body_undecodable`, and
 * `body_too_large` beyond the limits.
 */
export class SheetReader implements XmlEvents {
  readonly rows: SheetRow[] = [];
  readonly #context: SheetContext;
  #number = 0;
  #row: (number | string)[] = [];
  #column = 0;
  #isSorted = true;
  #type = '';
  #style: string | undefined;
  #value = '';
  #isInValue = false;
  #spoken = 0;
  #characters = 0;

  constructor(context: SheetContext) {
    this.#context = context;
  }

  open(name: string, attributes: Readonly<Record<string, string>>): void {
    switch (localName(name)) {
      case 'row':
        this.#number = rowNumber(attributes['r']) ?? this.#number + 1;
        this.#row = [this.#number];
        this.#column = 0;
        this.#isSorted = true;
        break;
      case 'c':
        this.#begin(attributes);
        break;
      case 'rPh':
        this.#spoken++;
        break;
      case 'v':
      case 't':
        this.#isInValue = this.#spoken === 0;
    }
  }

  text(text: string): void {
    if (this.#isInValue) this.#value += text;
  }

  close(name: string): void {
    switch (localName(name)) {
      case 'v':
      case 't':
        this.#isInValue = false;
        break;
      case 'rPh':
        this.#spoken--;
        break;
      case 'c':
        this.#finish();
        break;
      case 'row':
        if (this.#row.length < 2) break;
        if (this.rows.length === limits.rows) throw tooLarge(`has more than ${limits.rows} rows`);
        this.rows.push(this.#isSorted ? this.#row : sorted(this.#row));
        this.#row = [];
    }
  }

  #begin({ r: place, t: type = 'n', s: style }: Readonly<Record<string, string>>): void {
    const column = place === undefined ? this.#column + 1 : columnOf(place);
    if (column > sheetSize.columns) throw notExcel(`row ${this.#number} has more than ${sheetSize.columns} columns`);
    if (column <= this.#column) this.#isSorted = false;
    this.#column = column;
    this.#type = type;
    this.#style = style;
    this.#value = '';
  }

  #finish(): void {
    const text = this.#text();
    if (text === '') return;
    this.#characters += text.length;
    if (this.#characters > limits.characters)
      throw tooLarge(`has more than ${limits.characters} characters in its cells`);
    this.#row.push(this.#column, text);
  }

  #text(): string {
    const value = this.#value;
    const { texts, styles, is1904 } = this.#context;
    switch (this.#type) {
      case 's':
        if (value === '') return '';
        return texts.at(value.trim()) ?? this.#refuse(`refers to the text ${value.slice(0, 20)}, which there is not`);
      case 'inlineStr':
      case 'str':
        return unescaped(value);
      case 'b':
        return value.trim() === '1' || value === 'true' ? 'TRUE' : value === '' ? '' : 'FALSE';
      case 'n':
        return value === '' ? '' : numberText(value, styles.kindOf(this.#style), is1904);
      default:
        // Errors such as #N/A, and dates in ISO 8601.
        return value;
    }
  }

  #refuse(what: string): never {
    throw notExcel(`a cell of row ${this.#number} ${what}`);
  }
}

function rowNumber(written: string | undefined): number | undefined {
  if (written === undefined) return undefined;
  const number = /^\d{1,7}$/.test(written) ? Number(written) : 0;
  if (number >= 1 && number <= sheetSize.rows) return number;
  throw notExcel(`"${written.slice(0, 20)}" is not the number of a row`);
}

/** The column of a place such as `XFD12`. */
function columnOf(place: string): number {
  let column = 0;
  for (let at = 0; at < 3; at++) {
    const letter = (place.charCodeAt(at) | 0x20) - 0x60;
    if (!(letter >= 1 && letter <= 26)) break;
    column = column * 26 + letter;
  }
  if (column > 0 && /^[A-Za-z]{1,3}\d{1,7}$/.test(place)) return column;
  throw notExcel(`"${place.slice(0, 20)}" is not the place of a cell`);
}

/** The cells of a row in the order of columns; of two in one column the later one. */
function sorted([number, ...cells]: SheetRow): SheetRow {
  const byColumn = new Map<number, string>();
  for (let at = 0; at < cells.length; at += 2) byColumn.set(cells[at] as number, cells[at + 1] as string);
  return [number as number, ...[...byColumn].sort(([a], [b]) => a - b).flat()];
}
