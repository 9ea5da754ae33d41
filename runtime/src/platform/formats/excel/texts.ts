import type { XmlEvents } from '../xml/reader.ts';
import { localName } from '../xml/tree.ts';

/** Characters that XML cannot hold are written so (ECMA-376, part 1, 22.9.2.19). */
export function unescaped(text: string): string {
  if (!text.includes('_x')) return text;
  return text.replace(/_x([0-9A-Fa-f]{4})_/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)));
}

/**
 * Reads the texts that cells share. The runs of a text that is formatted are one text; how it is pronounced is passed
 * over.
 */
export class SharedTexts implements XmlEvents {
  readonly #texts: string[] = [];
  #text = '';
  #isInText = false;
  /** Elements `rPh` that are open. */
  #spoken = 0;

  open(name: string): void {
    const local = localName(name);
    if (local === 'si') this.#text = '';
    else if (local === 'rPh') this.#spoken++;
    else if (local === 't') this.#isInText = this.#spoken === 0;
  }

  text(text: string): void {
    if (this.#isInText) this.#text += text;
  }

  close(name: string): void {
    const local = localName(name);
    if (local === 't') this.#isInText = false;
    else if (local === 'rPh') this.#spoken--;
    else if (local === 'si') this.#texts.push(unescaped(this.#text));
  }

  /** Undefined for a number that has no text. */
  at(index: string): string | undefined {
    return /^\d{1,9}$/.test(index) ? this.#texts[Number(index)] : undefined;
  }
}
