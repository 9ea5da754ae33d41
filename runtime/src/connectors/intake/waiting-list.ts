/** Places before the first item that are kept, so that few removals move the others. */
const mostFree = 1_000;

/** Items in order. The first one is removed in constant time, however many wait behind it; an array moves them all. */
export class WaitingList<T> {
  /** Begins with the places of items that are gone. */
  #items: (T | undefined)[] = [];
  #first = 0;

  get length(): number {
    return this.#items.length - this.#first;
  }

  at(index: number): T | undefined {
    return this.#items[this.#first + index];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** Puts an item before this place. */
  insert(index: number, item: T): void {
    if (index === 0 && this.#first > 0) this.#items[--this.#first] = item;
    else this.#items.splice(this.#first + index, 0, item);
  }

  /** Removes the item of this place. */
  remove(index: number): T | undefined {
    if (index > 0) return this.#items.splice(this.#first + index, 1)[0];
    const item = this.#items[this.#first];
    if (this.length === 0) return undefined;
    this.#items[this.#first++] = undefined;
    if (this.#first === this.#items.length) this.replace([]);
    else if (this.#first > mostFree && this.#first * 2 > this.#items.length) this.replace(this.all);
    return item;
  }

  get all(): readonly T[] {
    return this.#items.slice(this.#first) as T[];
  }

  replace(items: readonly T[]): void {
    this.#items = [...items];
    this.#first = 0;
  }
}
