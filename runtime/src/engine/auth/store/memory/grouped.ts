/** Keys by what they belong to, those of each in the order in which they came. */
export class Grouped {
  readonly #groups = new Map<string, Set<string>>();

  add(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys === undefined) this.#groups.set(group, new Set([key]));
    else keys.add(key);
  }

  remove(group: string, key: string): void {
    const keys = this.#groups.get(group);
    if (keys?.delete(key) && keys.size === 0) this.#groups.delete(group);
  }

  of(group: string): readonly string[] {
    return [...(this.#groups.get(group) ?? [])];
  }

  clear(): void {
    this.#groups.clear();
  }
}
