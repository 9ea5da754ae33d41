import { numberIn, unquoted } from './literal.ts';
import type { Constant } from './nodes.ts';
import { TemplateProblem } from './problem.ts';

/** A word of an action. `apart`: blanks are before it. */
export type Token = { readonly apart: boolean; readonly line: number } & (
  | { readonly kind: 'constant'; readonly value: Constant }
  | { readonly kind: 'field' | 'variable' | 'word'; readonly name: string }
  | { readonly kind: '.' | '(' | ')' | '|' | ',' | ':=' | '=' }
);

/** A piece of a template: text, or what is between `{{` and `}}`. */
export type Part =
  | { readonly kind: 'text'; readonly text: string; readonly line: number }
  | { readonly kind: 'action'; readonly tokens: readonly Token[]; readonly line: number };

const blank = /[ \t\r\n]*/y;
const word =
  /(?<double>"(?:[^"\\\n]|\\[^\n])*")|(?<raw>`[^`]*`)|(?<single>'(?:[^'\\\n]|\\[^\n])+')|(?<number>[+-]?(?:\d|\.\d)(?:[eE][+-]|[\w.])*)|(?<variable>\$[\p{L}\p{N}_]*)|\.(?<field>[\p{L}_][\p{L}\p{N}_]*)|(?<name>[\p{L}_][\p{L}\p{N}_]*)|(?<sign>:=|[=|(),.])/uy;

/** The pieces of a template in their order, blanks trimmed where `{{-` or `-}}` says so. Throws a TemplateProblem. */
export function partsOf(source: string): Part[] {
  const parts: Part[] = [];
  const lines = new Lines(source);
  let at = 0;
  let trims = false;
  while (at < source.length) {
    const open = source.indexOf('{{', at);
    const end = open < 0 ? source.length : open;
    const trimsBefore = open >= 0 && /^\{\{-[ \t\r\n]/.test(source.slice(open, open + 4));
    const literal = source.slice(at, end);
    const text = trimmed(literal, trims, trimsBefore);
    if (text !== '') parts.push({ kind: 'text', text, line: lines.of(at) });
    if (open < 0) break;
    const action = actionAt(source, open + (trimsBefore ? 3 : 2), lines, lines.of(open));
    if (action.tokens !== undefined) parts.push({ kind: 'action', tokens: action.tokens, line: lines.of(open) });
    ({ end: at, trims } = action);
  }
  return parts;
}

function trimmed(text: string, before: boolean, after: boolean): string {
  let [start, end] = [0, text.length];
  if (before) while (start < end && isBlank(text.charCodeAt(start))) start++;
  if (after) while (end > start && isBlank(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isBlank(code: number): boolean {
  return code === 32 || code === 9 || code === 13 || code === 10;
}

interface Action {
  /** Undefined of a comment. */
  readonly tokens: readonly Token[] | undefined;
  readonly end: number;
  readonly trims: boolean;
}

function actionAt(source: string, start: number, lines: Lines, line: number): Action {
  const [, gap = ''] = /^([ \t\r\n]*)\/\*/.exec(source.slice(start, start + 256)) ?? [];
  if (source.startsWith('/*', start + gap.length)) {
    const close = source.indexOf('*/', start + gap.length + 2);
    if (close < 0) throw new TemplateProblem('the comment has no end', line);
    const [closing] = /^(?:}}|[ \t\r\n]+-}}|[ \t\r\n]*}})/.exec(source.slice(close + 2, close + 258)) ?? [];
    if (closing === undefined) throw new TemplateProblem('a comment ends with */ and }}', line);
    return { tokens: undefined, end: close + 2 + closing.length, trims: closing.endsWith('-}}') };
  }
  const tokens: Token[] = [];
  for (let at = start; ; ) {
    blank.lastIndex = at;
    blank.test(source);
    const apart = blank.lastIndex > at || at === start;
    at = blank.lastIndex;
    if (source.startsWith('}}', at)) return { tokens, end: at + 2, trims: false };
    if (apart && source.startsWith('-}}', at)) return { tokens, end: at + 3, trims: true };
    if (at >= source.length) throw new TemplateProblem('the action has no end: }} is missing', line);
    word.lastIndex = at;
    const found = word.exec(source);
    if (found === null)
      throw new TemplateProblem(`the character ${JSON.stringify(source[at])} is not understood`, lines.of(at));
    tokens.push({ ...tokenOf(found, lines.of(at)), apart, line: lines.of(at) });
    at = word.lastIndex;
  }
}

type Bare = Token extends infer T ? (T extends Token ? Omit<T, 'apart' | 'line'> : never) : never;

function tokenOf({ groups = {} }: RegExpExecArray, line: number): Bare {
  const { double, raw, single, number, variable, field, name, sign } = groups;
  if (raw !== undefined) return { kind: 'constant', value: raw.slice(1, -1) };
  if (double !== undefined) return { kind: 'constant', value: meant(unquoted(double.slice(1, -1)), double, line) };
  if (single !== undefined) {
    // A character is its number, as in Go.
    const [character, ...further] = meant(unquoted(single.slice(1, -1)), single, line);
    if (further.length > 0) throw new TemplateProblem(`${single} is more than one character: use "…"`, line);
    return { kind: 'constant', value: (character as string).codePointAt(0) as number };
  }
  if (number !== undefined) return { kind: 'constant', value: meant(numberIn(number), number, line) };
  if (variable !== undefined) return { kind: 'variable', name: variable };
  if (field !== undefined) return { kind: 'field', name: field };
  if (name === 'true' || name === 'false') return { kind: 'constant', value: name === 'true' };
  if (name === 'nil') return { kind: 'constant', value: null };
  if (name !== undefined) return { kind: 'word', name };
  return { kind: sign as '.' };
}

function meant<T>(value: T | undefined, written: string, line: number): T {
  if (value === undefined) throw new TemplateProblem(`${written} is malformed`, line);
  return value;
}

/** Lines of offsets that are asked for in rising order. */
class Lines {
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
  }

  of(offset: number): number {
    if (offset < this.#at) return this.#line;
    for (let next = this.#source.indexOf('\n', this.#at); next >= 0 && next < offset; ) {
      this.#line++;
      this.#at = next + 1;
      next = this.#source.indexOf('\n', this.#at);
    }
    return this.#line;
  }
}
