/** Items of which the first is found in time logarithmic in their number. */
export class Heap<T> {
  readonly #isBefore: (a: T, b: T) => boolean;
  #items: T[] = [];

  constructor(isBefore: (a: T, b: T) => boolean) {
    this.#isBefore = isBefore;
  }

  get size(): number {
    return this.#items.length;
  }

  get first(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    const items = this.#items;
    let at = items.push(item) - 1;
    for (let above = (at - 1) >> 1; at > 0 && this.#isBefore(item, items[above] as T); above = (at - 1) >> 1) {
      items[at] = items[above] as T;
      at = above;
    }
    items[at] = item;
  }

  /** Takes the first one away. */
  pop(): T | undefined {
    const items = this.#items;
    const [first] = items;
    const last = items.pop();
    if (last !== undefined && items.length > 0) this.#sink(last);
    return first;
  }

  /** Forgets the items that are not to be kept. */
  keep(isKept: (item: T) => boolean): void {
    const kept = this.#items.filter(isKept);
    this.#items = [];
    for (const item of kept) this.push(item);
  }

  /** Gives an item its place, from the top down. */
  #sink(item: T): void {
    const items = this.#items;
    let at = 0;
    for (let below = 1; below < items.length; below = at * 2 + 1) {
      const right = below + 1;
      if (right < items.length && this.#isBefore(items[right] as T, items[below] as T)) below = right;
      if (!this.#isBefore(items[below] as T, item)) break;
      items[at] = items[below] as T;
      at = below;
    }
    items[at] = item;
  }
}
