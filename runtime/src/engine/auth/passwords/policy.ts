import { compileRegex } from '@svc/protocol/cel';
import type { AuthSettings } from '../settings.ts';

type Rules = Pick<
  AuthSettings['password'],
  | 'min_length'
  | 'max_length'
  | 'require_upper'
  | 'require_lower'
  | 'require_number'
  | 'require_special'
  | 'reject_patterns'
>;

/** Whether a password has a pattern in it. */
type Pattern = (password: string, email: string | undefined) => boolean;

const classes = [
  ['require_upper', /\p{Lu}/u, 'a capital letter'],
  ['require_lower', /\p{Ll}/u, 'a small letter'],
  ['require_number', /\p{Nd}/u, 'a digit'],
  ['require_special', /[^\p{L}\p{Nd}]/u, 'a character that is neither a letter nor a digit'],
] as const;

/** UTF-16 units that are looked at: the longest password that the configuration allows. */
const longest = 2_048;

/** Characters of a part of an address that a password may not have in it; shorter ones are in many words. */
const shortestName = 4;

/** Judges passwords by what is configured. */
export class PasswordPolicy {
  readonly #rules: Rules;
  readonly #patterns: readonly Pattern[];

  constructor(rules: Rules) {
    this.#rules = rules;
    this.#patterns = (rules.reject_patterns ?? []).map(readPattern);
  }

  /**
   * Whether it is longer than any password may be. Such a one is refused before it is hashed, at a sign-in too. Lengths are
   * code points, as they were typed.
   */
  isTooLong(password: string): boolean {
    return password.length > longest || length(password) > this.#rules.max_length;
  }

  /** What is wrong with a new password, each as a sentence for people; empty when it is accepted. */
  weaknesses(password: string, email: string | undefined): readonly string[] {
    const { min_length: least, max_length: most } = this.#rules;
    if (this.isTooLong(password)) return [`The password must have at most ${most} characters.`];
    if (!password.isWellFormed()) return ['The password must be valid Unicode text.'];
    const weaknesses: string[] = [];
    if (length(password) < least)
      weaknesses.push(`The password must have at least ${least} ${least === 1 ? 'character' : 'characters'}.`);
    for (const [rule, expression, what] of classes)
      if (this.#rules[rule] && !expression.test(password)) weaknesses.push(`The password must contain ${what}.`);
    if (this.#patterns.some((pattern) => pattern(password, email)))
      weaknesses.push('The password must not contain words or patterns that are easy to guess here.');
    return weaknesses;
  }
}

/** Why an entry of `reject_patterns` cannot be used; undefined when it can. */
export function patternProblem(pattern: string): string | undefined {
  const source = expressionOf(pattern);
  if (source === undefined) return pattern.trim() === '' ? 'an empty pattern would refuse every password' : undefined;
  const regex = compileRegex(source);
  if (!('test' in regex)) return regex.message;
  return regex.test('') ? 'it matches the empty text, and would refuse every password' : undefined;
}

function readPattern(pattern: string): Pattern {
  const source = expressionOf(pattern);
  if (source !== undefined) {
    // Linear in the length of the password, whatever is written.
    const regex = compileRegex(source);
    if (!('test' in regex)) throw new Error(`the pattern ${pattern} is not valid: ${regex.message}`);
    return (password) => regex.test(password);
  }
  if (pattern === 'user.email') return (password, email) => email !== undefined && names(password, email);
  const wanted = folded(pattern);
  return (password) => folded(password).includes(wanted);
}

/** What is between the slashes of `/…/`. */
function expressionOf(pattern: string): string | undefined {
  return pattern.length > 2 && pattern.startsWith('/') && pattern.endsWith('/') ? pattern.slice(1, -1) : undefined;
}

/** Whether a password contains an address, or what is in front of its `@`. */
function names(password: string, email: string): boolean {
  const text = folded(password);
  const address = folded(email);
  const [local = ''] = address.split('@');
  return (address !== '' && text.includes(address)) || (length(local) >= shortestName && text.includes(local));
}

function folded(text: string): string {
  return text.normalize('NFKC').toLowerCase();
}

function length(text: string): number {
  let count = 0;
  for (const _ of text) count++;
  return count;
}
