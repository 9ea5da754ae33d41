import { block, int } from '@svc/protocol/schema';

/** What holds where nothing is written. */
export const usualLimits = { depth: 10, aliases: 15, directives: 50, tokens: 1000, cost: 5000 } as const;

/** What one document may ask for. */
export type Limits = { readonly [name in keyof typeof usualLimits]: number };

/** Bounds of the documents of callers (docs/graphql.md#limits). */
export const limits = block({
  doc: 'What a document may ask for. Documents beyond it are refused before anything of them runs.',
  attributes: {
    depth: int('Most fields inside each other; a field of the root is 1. What introspection asks for does not count.', {
      default: usualLimits.depth,
      min: 1,
    }),
    aliases: int('Most fields under another name than their own, those of fragments with each use.', {
      default: usualLimits.aliases,
      min: 0,
    }),
    directives: int('Most directives, those of fragments with each use.', { default: usualLimits.directives, min: 0 }),
    tokens: int('Most words, numbers, texts and signs of a document.', {
      default: usualLimits.tokens,
      min: 1,
      max: 100_000,
    }),
    cost: int('Most cost: 1 for a single value, for an object 2 and one and a half of what is asked of it.', {
      default: usualLimits.cost,
      min: 1,
    }),
  },
  example: 'limits {\n  depth = 12\n  cost  = 10000\n}',
});
