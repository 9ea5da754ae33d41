import { Automaton } from './automaton.ts';
import { parseRegex, RegexSyntaxError } from './parse.ts';

/** A compiled regular expression. */
export interface Regex {
  readonly source: string;
  /** How many instructions the pattern has. */
  readonly size: number;
  /**
   * Whether a part of the text matches; linear in the length of the text. `spend` receives the steps besides reading.
   */
  test(text: string, spend?: (steps: number) => void): boolean;
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
    return { source: pattern, size: automaton.size, test: (text, spend) => automaton.test(text, spend) };
  } catch (error) {
    if (error instanceof RegexSyntaxError) return { message: error.message, at: error.at };
    throw error;
  }
}
