import { CelError } from '../engine.ts';
import { compileRegex, type Regex } from '../regex/index.ts';
import { spend } from '../values/meter.ts';
import { textOf } from './arguments.ts';
import type { Builtin, FunctionDefinition } from './definition.ts';

/** Regular expressions in RE2 syntax, matched in time linear in the text. */
export const matching: readonly FunctionDefinition[] = [
  {
    name: 'matches',
    group: 'text',
    signatures: ['string.matches(pattern: string) -> bool', 'matches(text: string, pattern: string) -> bool'],
    doc: 'Whether a part of the text matches the regular expression (RE2 syntax). `^` and `$` tie it to the ends.',
    example: "'order-17'.matches('^order-[0-9]+$')",
    bind: (): Builtin => {
      const known = new Map<string, Regex>();
      return (text, pattern) => regexOf(textOf(pattern), known).test(textOf(text), spend);
    },
    inspect: ([, pattern]) => {
      if (typeof pattern === 'string') regexOf(pattern, new Map());
    },
    prepare: ([, pattern]): Builtin | undefined => {
      const regex = typeof pattern === 'string' ? compileRegex(pattern) : undefined;
      return regex && 'test' in regex ? (text) => regex.test(textOf(text), spend) : undefined;
    },
  },
];

/** Patterns that are only known at run time; more than this are not kept. */
const mostPatterns = 100;

function regexOf(pattern: string, known: Map<string, Regex>): Regex {
  const found = known.get(pattern);
  if (found) return found;
  const regex = compileRegex(pattern);
  if (!('test' in regex))
    throw new CelError('invalid-argument', `the pattern ${JSON.stringify(pattern)} is not valid: ${regex.message}`);
  spend(regex.size);
  if (known.size >= mostPatterns) known.clear();
  known.set(pattern, regex);
  return regex;
}
