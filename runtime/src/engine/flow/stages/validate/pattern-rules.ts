import { compileRegex } from '@svc/protocol/cel';
import type { Report } from '@svc/protocol/model';
import type { Origin } from '@svc/protocol/schema';

/** Whether a text is a regular expression of RE2, whose matching takes time linear in the text; reported when it is not. */
export function checkPattern(pattern: string | undefined, at: Origin, report: Report): boolean {
  if (pattern === undefined) return true;
  const compiled = compileRegex(pattern);
  if ('test' in compiled) return true;
  report('invalid-pattern', `the pattern is not valid: ${compiled.message} (character ${compiled.at + 1})`, at, {
    help: 'Patterns are written in RE2 syntax, which has no look-around and no back-references.',
  });
  return false;
}

/** A matcher for a pattern; one that is not valid, and was reported, matches everything. */
export function matcherOf(pattern: string): (text: string) => boolean {
  const compiled = compileRegex(pattern);
  return 'test' in compiled ? (text) => compiled.test(text) : () => true;
}
