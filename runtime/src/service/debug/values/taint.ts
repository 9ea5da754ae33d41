import { kindOf } from '@svc/protocol/cel';
import { mask } from '../../../foundation/observe/mask.ts';

/** Texts of so many characters are hidden inside of others too; shorter ones only where they are the whole text. */
const shortest = 6;
/** Texts that are searched in others; a run that has read more shows no text at all. */
const mostSearched = 500;
/** Values nested deeper are out of reach. */
const deepest = 64;

/** What one run has read of what is never shown: it is masked wherever it occurs again. */
export class Taint {
  readonly #texts = new Set<string>();
  /** The longest first, for one may be a part of another. */
  #searched: string[] = [];
  readonly #names = new Set<string>();
  #version = 0;

  /** Increases with everything that is learnt: what was written before may show too much now. */
  get version(): number {
    return this.#version;
  }

  /** Members of this name are hidden, for a rule has made them of what is. */
  hidesName(name: string): boolean {
    return this.#names.size > 0 && this.#names.has(name);
  }

  learnName(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    this.#version++;
  }

  learnText(text: string): void {
    if (text === '' || text === mask || this.#texts.has(text)) return;
    this.#texts.add(text);
    this.#version++;
    if (text.length < shortest || this.#searched.length > mostSearched) return;
    const escaped = JSON.stringify(text).slice(1, -1);
    this.#searched.push(text, ...(escaped === text ? [] : [escaped]));
    this.#searched.sort((one, two) => two.length - one.length);
  }

  /** Learns what another run has learnt. */
  join(other: Taint): void {
    for (const text of other.#texts) this.learnText(text);
    for (const name of other.#names) this.learnName(name);
  }

  /** Learns every text of a value, names of members included. */
  learn(value: unknown): void {
    for (const text of textsOf(value)) this.learnText(text);
  }

  /** Whether the text is, or holds, what is hidden. */
  isIn(text: string): boolean {
    return this.clean(text) !== text;
  }

  /** The text with what is hidden masked. */
  clean(text: string): string {
    if (this.#texts.size === 0) return text;
    if (this.#texts.has(text) || this.#searched.length > mostSearched) return mask;
    let shown = text;
    for (const each of this.#searched) if (shown.includes(each)) shown = shown.replaceAll(each, mask);
    return shown;
  }
}

/** The texts of a value, names of members included. */
export function* textsOf(value: unknown, depth = 0): Iterable<string> {
  if (typeof value === 'string') yield value;
  else if (depth < deepest)
    for (const [name, member] of membersOf(value)) {
      if (name !== undefined) yield name;
      yield* textsOf(member, depth + 1);
    }
}

/** Members of a list, without a name, or of a map; nothing else has any. */
export function* membersOf(value: unknown): Iterable<readonly [string | undefined, unknown]> {
  if (Array.isArray(value)) for (const item of value) yield [undefined, item];
  else if (value instanceof Map) for (const [key, item] of value) yield [String(key), item];
  else if (kindOf(value) === 'map')
    for (const name of Object.keys(value as object)) yield [name, (value as Record<string, unknown>)[name]];
}
