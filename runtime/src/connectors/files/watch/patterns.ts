import type { PatternGrammar } from '../../../intake/dispatch/routes.ts';
import { compileGlob } from '../glob.ts';

/** An operation is a pattern of paths; one without `/` is tried on names in every folder. */
export const filePatterns: PatternGrammar = {
  separator: undefined,
  one: undefined,
  many: undefined,
  everyMatch: false,
  isGlob: true,
  canonical: (operation) => (operation === '*' || operation.includes('/') ? operation : `**/${operation}`),
  matcher: compileGlob,
};
