import type { PatternGrammar } from '../../../foundation/contracts/patterns.ts';
import { globMatches } from '../../../platform/sync/glob.ts';

export type { PatternGrammar } from '../../../foundation/contracts/patterns.ts';

/** Topic patterns of AMQP 0-9-1. */
export const topicPatterns: PatternGrammar = { separator: '.', one: '*', many: '#', everyMatch: false };
/** Topic filters of MQTT 3.1.1, section 4.7. */
export const topicFilters: PatternGrammar = { separator: '/', one: '+', many: '#', everyMatch: true };
/** Patterns of the channels of Redis. */
export const channelGlobs: PatternGrammar = {
  separator: undefined,
  one: undefined,
  many: undefined,
  everyMatch: false,
  isGlob: true,
};

/** Flows behind the keys of one source. */
export class Routes<T> {
  readonly #everyMatch: boolean;
  readonly #many: string | undefined;
  readonly #exact = new Map<string, T[]>();
  /** The best match first. */
  readonly #patterns: { readonly pattern: string; readonly matches: (key: string) => boolean; readonly items: T[] }[];

  /** `operation` is a key, or a pattern; undefined takes everything. Items of one operation go together. */
  constructor(items: readonly T[], operation: (item: T) => string | undefined, grammar: PatternGrammar) {
    const byPattern = new Map<string, T[]>();
    for (const item of items) {
      const written = operation(item) || '*';
      const pattern = grammar.canonical?.(written) ?? written;
      const group = isPattern(pattern, grammar) ? byPattern : this.#exact;
      const others = group.get(pattern);
      if (others === undefined) group.set(pattern, [item]);
      else others.push(item);
    }
    this.#everyMatch = grammar.everyMatch;
    this.#many = grammar.many;
    const wildcards = (pattern: string) => countWildcards(pattern, grammar);
    this.#patterns = [...byPattern]
      .sort(
        ([a], [b]) => rank(a) - rank(b) || wildcards(a) - wildcards(b) || earlier(a, b, grammar) || b.length - a.length,
      )
      .map(([pattern, group]) => ({ pattern, matches: matcher(pattern, grammar), items: group }));
  }

  /**
   * What is behind the pattern that fits best, or behind all that match; undefined when none does. A pattern that the
   * message came by fits best of all patterns.
   */
  match(key: string, cameBy?: string): readonly T[] | undefined {
    const exact = this.#exact.get(key);
    if (!this.#everyMatch)
      return exact ?? this.#named(cameBy) ?? this.#patterns.find(({ matches }) => matches(key))?.items;
    const all = [...(exact ?? []), ...this.#patterns.flatMap(({ matches, items }) => (matches(key) ? items : []))];
    return all.length === 0 ? undefined : all;
  }

  #named(pattern: string | undefined): readonly T[] | undefined {
    return pattern === undefined ? undefined : this.#patterns.find((one) => one.pattern === pattern)?.items;
  }

  /** Whether every key has something behind it. */
  get takesAll(): boolean {
    return this.#patterns.some(({ pattern }) => isCatchAll(pattern) || pattern === this.#many);
  }
}

/** `*` alone means every key here, not only those of one word. */
export function isCatchAll(pattern: string): boolean {
  return pattern === '*' || pattern === '#';
}

/** Whether an operation names more than one key. */
export function isPattern(text: string, grammar: PatternGrammar): boolean {
  return isCatchAll(text) || countWildcards(text, grammar) > 0;
}

function wordsOf(text: string, { separator }: PatternGrammar): string[] {
  return separator === undefined ? [text] : text.split(separator);
}

function countWildcards(pattern: string, grammar: PatternGrammar): number {
  if (grammar.isGlob) return pattern.match(/[*?[\\]/g)?.length ?? 0;
  return wordsOf(pattern, grammar).filter((word) => word === grammar.one || word === grammar.many).length;
}

/** Of two patterns with as many wildcards, the one whose first words are written comes first. */
function earlier(a: string, b: string, grammar: PatternGrammar): number {
  const [first, second] = [a, b].map((pattern) =>
    wordsOf(pattern, grammar).map((word) => Number(word === grammar.one || word === grammar.many)),
  ) as [number[], number[]];
  const at = first.findIndex((isWildcard, place) => isWildcard !== second[place]);
  return at < 0 ? 0 : (first[at] as number) - (second[at] ?? 0);
}

/** Exact keys, then patterns, then `*`, then `#`. */
function rank(pattern: string): number {
  return pattern === '#' ? 2 : pattern === '*' ? 1 : 0;
}

function matcher(pattern: string, grammar: PatternGrammar): (key: string) => boolean {
  if (isCatchAll(pattern)) return () => true;
  if (grammar.isGlob) return grammar.matcher?.(pattern) ?? ((key) => globMatches(pattern, key));
  const written = wordsOf(pattern, grammar);
  const words = grammar.manyIsSome
    ? written.flatMap((word) => (word === grammar.many ? [grammar.one as string, word] : word))
    : written;
  return (key) => fits(words, wordsOf(key, grammar), grammar);
}

/**
 * One wildcard matches one word, the other for any number of them. Going back to the last of the latter alone is
 * enough, so that the work is at most words times words.
 */
function fits(pattern: readonly string[], words: readonly string[], { one, many }: PatternGrammar): boolean {
  let at = 0;
  let word = 0;
  let open = -1;
  let resume = 0;
  while (word < words.length) {
    const wanted = pattern[at];
    if (wanted !== undefined && wanted === many) {
      open = at++;
      resume = word;
    } else if (wanted !== undefined && (wanted === one || wanted === words[word])) {
      at++;
      word++;
    } else if (open >= 0) {
      at = open + 1;
      word = ++resume;
    } else return false;
  }
  while (pattern[at] !== undefined && pattern[at] === many) at++;
  return at === pattern.length;
}
