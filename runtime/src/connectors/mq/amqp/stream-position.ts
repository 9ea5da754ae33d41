/** Where consumers of a stream continue when their connection was lost: before the first message that is not settled. */
export class StreamPosition {
  readonly #unsettled = new Set<bigint>();
  #next: bigint | undefined;

  /** Undefined: nothing was taken yet. */
  get next(): bigint | undefined {
    let first = this.#next;
    for (const offset of this.#unsettled) if (first === undefined || offset < first) first = offset;
    return first;
  }

  taken(offset: bigint): void {
    this.#unsettled.add(offset);
    if (this.#next === undefined || offset >= this.#next) this.#next = offset + 1n;
  }

  settled(offset: bigint): void {
    this.#unsettled.delete(offset);
  }
}
