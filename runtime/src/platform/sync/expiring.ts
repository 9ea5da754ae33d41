/** Entries that expire when their time is over, whether or not they have been removed. Times are milliseconds. */
export class Expiring<T> {
  readonly #entries = new Map<string, { value: T; ends: number }>();

  get(key: string, now: number): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    if (entry.ends > now) return entry.value;
    this.#entries.delete(key);
    return undefined;
  }

  /** `ends` may be infinite. */
  set(key: string, value: T, ends: number): void {
    this.#entries.set(key, { value, ends });
  }

  delete(key: string): boolean {
    return this.#entries.delete(key);
  }

  /** Entries that have not run out. */
  count(now: number): number {
    let count = 0;
    for (const { ends } of this.#entries.values()) if (ends > now) count++;
    return count;
  }

  /** Entries held in memory. */
  get size(): number {
    return this.#entries.size;
  }

  /** Removes what has run out. */
  sweep(now: number): void {
    for (const [key, { ends }] of this.#entries) if (ends <= now) this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }
}
