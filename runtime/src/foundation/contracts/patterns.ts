/** How the operations of one protocol are read as patterns over the keys of its messages. */
export interface PatternGrammar {
  /** Between two words of a key; undefined: a key is one word. */
  readonly separator: string | undefined;
  /** Matches exactly one word. */
  readonly one: string | undefined;
  /** Matches any number of words, also no word. */
  readonly many: string | undefined;
  /** Whether a key has everything behind it that matches, rather than the best match alone. */
  readonly everyMatch: boolean;
  /** Whether `many` matches one word at least. */
  readonly manyIsSome?: true;
  /** Whether patterns are globs over the whole key: `*` any characters, `?` one. */
  readonly isGlob?: true;
  /** How a glob is matched; absent: as those of Redis. */
  readonly matcher?: ((pattern: string) => (key: string) => boolean) | undefined;
  /** An operation spelled as keys are; absent: it is spelled so. */
  readonly canonical?: ((operation: string) => string) | undefined;
}
