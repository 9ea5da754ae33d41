import type { XmlElement } from './elements.ts';

/** How often an element may occur. */
interface Occurring {
  readonly isOptional: boolean;
  readonly isRepeated: boolean;
  readonly isOrdered?: boolean;
}

/** Remembers the groups and bases of one type that were read: read again in the same way they would say the same. */
export class ReadOnce {
  readonly #read = new Map<XmlElement, Set<number>>();

  isNew(part: XmlElement, { isOptional, isRepeated, isOrdered = true }: Occurring): boolean {
    const ways = this.#read.get(part) ?? new Set();
    this.#read.set(part, ways);
    const before = ways.size;
    ways.add((isOptional ? 1 : 0) + (isRepeated ? 2 : 0) + (isOrdered ? 4 : 0));
    return ways.size > before;
  }
}
