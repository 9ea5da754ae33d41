/** What can be on a roster, one at a time. */
export interface Listed {
  /** Where it is on the roster; written by the roster alone. */
  place: number;
}

/** The place of what is on no roster. */
export const unlisted = -1;

/**
 * What is under way, in no order: thousands come and go in a second. A `Set` would do, but each time it makes room its
 * former table refers to the new one; as soon as one of them is old, collections of the young generation keep all later
 * tables, and with them everything that has long ended (v8.dev/blog/trash-talk: what old objects refer to counts as live).
 */
export class Roster<T extends Listed> {
  readonly #all: T[] = [];

  get size(): number {
    return this.#all.length;
  }

  add(item: T): void {
    item.place = this.#all.length;
    this.#all.push(item);
  }

  /** Returns whether it was on it. The last one takes its place. */
  delete(item: T): boolean {
    const { place } = item;
    if (this.#all[place] !== item) return false;
    const last = this.#all.pop() as T;
    item.place = unlisted;
    if (last !== item) {
      last.place = place;
      this.#all[place] = last;
    }
    return true;
  }

  clear(): void {
    for (const item of this.#all) item.place = unlisted;
    this.#all.length = 0;
  }

  /** Those on it now: what is done to them may take them off. */
  all(): readonly T[] {
    return [...this.#all];
  }
}
