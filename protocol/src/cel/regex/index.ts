import { Automaton } from './automaton.ts';
import { parseRegex, RegexSyntaxError } from './parse.ts';

/** A compiled regular expression. */
export interface Regex {
  readonly source: string;
  /** Whether a part of the text matches; linear in the length of the text. */
  test(text: string): boolean;
}

/** Why a pattern is not valid. `at` is an offset into it. */
export interface RegexProblem {
  readonly message: string;
  readonly at: number;
}

/** Compiles a pattern in RE2 syntax (no back-references, no look-around), as every pattern of a configuration is. */
export function compileRegex(pattern: string): Regex | RegexProblem {
  try {
    const automaton = new Automaton(parseRegex(pattern));
    return { source: pattern, test: (text) => automaton.test(text) };
  } catch (error) {
    if (error instanceof RegexSyntaxError) return { message: error.message, at: error.at };
    throw error;
  }
}
