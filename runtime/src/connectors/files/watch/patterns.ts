import type { PatternGrammar } from '../../intake/dispatch/routes.ts';
import { compileGlob } from '../glob.ts';
import type { Naming } from '../naming.ts';

/** An operation is a pattern of paths or keys; one without `/` is tried on names in every folder. */
export const filePatterns = (naming: Naming): PatternGrammar => ({
  separator: undefined,
  one: undefined,
  many: undefined,
  everyMatch: false,
  isGlob: true,
  canonical: (operation) => (operation === '*' || operation.includes('/') ? operation : `**/${operation}`),
  matcher: (pattern) => compileGlob(pattern, naming),
});
