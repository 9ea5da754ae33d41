import type { CharacterRanges } from './ranges.ts';

/** A regular expression as a tree. Groups leave no trace: only whether a text matches is asked. */
export type RegexNode =
  | { readonly kind: 'characters'; readonly ranges: CharacterRanges }
  | { readonly kind: 'sequence' | 'choice'; readonly parts: readonly RegexNode[] }
  | { readonly kind: 'repeat'; readonly part: RegexNode; readonly least: number; readonly most: number }
  | { readonly kind: 'assertion'; readonly assertion: Assertion };

export type Assertion = 'text-start' | 'text-end' | 'line-start' | 'line-end' | 'word-edge' | 'no-word-edge';
