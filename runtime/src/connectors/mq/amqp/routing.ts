/** Flows behind the routing keys of one queue (document 1, Events; supplement 9.2). */
export class Routes<T> {
  readonly #exact = new Map<string, T[]>();
  /** The best match first. */
  readonly #patterns: { readonly pattern: string; readonly matches: (key: string) => boolean; readonly items: T[] }[];

  /** `operation` is a routing key, or a pattern; undefined takes everything. Items of one operation go together. */
  constructor(items: readonly T[], operation: (item: T) => string | undefined) {
    const byPattern = new Map<string, T[]>();
    for (const item of items) {
      const pattern = operation(item) || '*';
      const group = isPattern(pattern) ? byPattern : this.#exact;
      const others = group.get(pattern);
      if (others === undefined) group.set(pattern, [item]);
      else others.push(item);
    }
    this.#patterns = [...byPattern]
      .sort(([a], [b]) => rank(a) - rank(b) || wildcards(a) - wildcards(b) || b.length - a.length)
      .map(([pattern, group]) => ({ pattern, matches: matcher(pattern), items: group }));
  }

  /** Everything behind the single pattern that fits best; undefined when none does. */
  match(key: string): readonly T[] | undefined {
    return this.#exact.get(key) ?? this.#patterns.find(({ matches }) => matches(key))?.items;
  }

  /** Whether every key has something behind it. */
  get takesAll(): boolean {
    return this.#patterns.some(({ pattern }) => isCatchAll(pattern));
  }
}

/** `*` alone means every key here, not only those of one word. */
export function isCatchAll(pattern: string): boolean {
  return pattern === '*' || pattern === '#';
}

function isPattern(text: string): boolean {
  return wildcards(text) > 0;
}

function wildcards(pattern: string): number {
  return pattern.split('.').filter(isCatchAll).length;
}

/** Exact keys, then patterns, then `*`, then `#`. */
function rank(pattern: string): number {
  return pattern === '#' ? 2 : pattern === '*' ? 1 : 0;
}

function matcher(pattern: string): (key: string) => boolean {
  if (isCatchAll(pattern)) return () => true;
  const words = pattern.split('.');
  return (key) => fits(words, key.split('.'));
}

/**
 * `*` stands for one word, `#` for any number of them. Going back to the last `#` alone is enough, so that the work is
 * at most words times words.
 */
function fits(pattern: readonly string[], words: readonly string[]): boolean {
  let at = 0;
  let word = 0;
  let hash = -1;
  let resume = 0;
  while (word < words.length) {
    const wanted = pattern[at];
    if (wanted === '#') {
      hash = at++;
      resume = word;
    } else if (wanted === '*' || wanted === words[word]) {
      at++;
      word++;
    } else if (hash >= 0) {
      at = hash + 1;
      word = ++resume;
    } else return false;
  }
  while (pattern[at] === '#') at++;
  return at === pattern.length;
}
