import type { Range } from '../text/index.ts';
import type { CelProblem } from './engine.ts';
import { readString } from './string-literal.ts';
import { CelUint } from './values/uint.ts';

/** Symbols denote themselves. `name` is an identifier, `quoted` one in backticks. */
export type TokenKind =
  | 'literal'
  | 'name'
  | 'quoted'
  | 'in'
  | 'end'
  | (typeof symbols)[number]
  | (typeof pairs)[number];

/** Half an operator is read as the whole one, so that one mistake is one problem. */
const halves: Readonly<Record<string, TokenKind | undefined>> = { '=': '==', '&': '&&', '|': '||' };

const pairs = ['&&', '||', '==', '!=', '<=', '>=', '??'] as const;
const symbols = ['(', ')', '[', ']', '{', '}', '.', ',', ':', '?', '<', '>', '+', '-', '*', '/', '%', '!'] as const;
const pairSet: ReadonlySet<string> = new Set(pairs);
const symbolSet: ReadonlySet<string> = new Set(symbols);

/** One more than the largest int: only valid after a minus sign. */
export const minusOnlyInteger = 9223372036854775808n;

/**
 * Cuts an expression into tokens, one at a time. It never stops: what cannot be read becomes a problem and is skipped.
 */
export class Lexer {
  readonly source: string;
  readonly problems: CelProblem[] = [];
  /** The current token. */
  kind: TokenKind = 'end';
  start = 0;
  end = 0;
  /** Value of a literal, text of a name. */
  value: unknown;
  /** Where the token before the current one ended. */
  previousEnd = 0;

  constructor(source: string) {
    this.source = source;
    this.advance();
  }

  get range(): Range {
    return { start: this.start, end: this.end };
  }

  get text(): string {
    return this.source.slice(this.start, this.end);
  }

  problem(message: string, range: Range = this.range): void {
    this.problems.push({ severity: 'error', message, range: { start: range.start, end: range.end } });
  }

  advance(): void {
    this.previousEnd = this.end;
    for (;;) {
      const start = skipBlank(this.source, this.end);
      this.start = start;
      this.value = undefined;
      if (start >= this.source.length) {
        this.kind = 'end';
        this.end = start;
        return;
      }
      if (this.#read(start)) return;
    }
  }

  /** Reads nothing more. */
  skipToEnd(): void {
    this.end = this.source.length;
    this.advance();
  }

  #read(start: number): boolean {
    const code = this.source.charCodeAt(start);
    if (isLetter(code)) return this.#stringOrName(start);
    if (isDigit(code) || (code === 46 && isDigit(this.source.charCodeAt(start + 1)))) return this.#number(start);
    if (code === 34 || code === 39) return this.#string(start);
    if (code === 96) return this.#quotedName(start);
    const pair = this.source.slice(start, start + 2);
    const symbol = this.source.charAt(start);
    if (pairSet.has(pair)) return this.#take(pair as TokenKind, start + 2);
    if (symbolSet.has(symbol)) return this.#take(symbol as TokenKind, start + 1);
    const character = String.fromCodePoint(this.source.codePointAt(start) as number);
    this.end = start + character.length;
    const meant = halves[symbol];
    if (meant !== undefined) {
      this.problem(`"${symbol}" is not an operator; write "${meant}"`);
      return this.#take(meant, start + 1);
    }
    this.problem(`unexpected character ${JSON.stringify(character)}`);
    return false;
  }

  #take(kind: TokenKind, end: number, value?: unknown): true {
    this.kind = kind;
    this.end = end;
    this.value = value;
    return true;
  }

  #stringOrName(start: number): boolean {
    if (isStringPrefix(this.source, start)) return this.#string(start);
    let end = start + 1;
    while (isNamePart(this.source.charCodeAt(end))) end++;
    const text = this.source.slice(start, end);
    if (text === 'true' || text === 'false') return this.#take('literal', end, text === 'true');
    if (text === 'null') return this.#take('literal', end, null);
    return this.#take(text === 'in' ? 'in' : 'name', end, text);
  }

  #string(start: number): boolean {
    const literal = readString(this.source, start);
    this.#take('literal', literal.end, literal.value);
    for (const { message, range } of literal.problems) this.problem(message, range);
    return true;
  }

  #quotedName(start: number): boolean {
    const close = this.source.indexOf('`', start + 1);
    const text = this.source.slice(start + 1, close < 0 ? undefined : close);
    this.#take('quoted', close < 0 ? this.source.length : close + 1, text);
    if (close < 0) this.problem('the quoted name has no closing backtick');
    else if (!/^[A-Za-z0-9_.\-/ ]+$/.test(text)) this.problem(`${JSON.stringify(text)} is not a name`);
    return true;
  }

  #number(start: number): boolean {
    numberSyntax.lastIndex = start;
    const match = numberSyntax.exec(this.source) as RegExpExecArray;
    const [text, hexadecimal, fraction, suffix] = match;
    this.#take('literal', start + text.length, 0n);
    const digits = suffix === undefined ? text : text.slice(0, -1);
    if (fraction !== undefined || (hexadecimal === undefined && /[.eE]/.test(digits))) this.value = Number(digits);
    else this.value = this.#integer(BigInt(digits), suffix !== undefined);
    if (isNamePart(this.source.charCodeAt(this.end))) {
      while (isNamePart(this.source.charCodeAt(this.end))) this.end++;
      this.problem(`${JSON.stringify(this.text)} is not a number`);
    }
    return true;
  }

  #integer(value: bigint, unsigned: boolean): unknown {
    if (unsigned ? value <= CelUint.max : value <= minusOnlyInteger) return unsigned ? new CelUint(value) : value;
    this.problem(`the number does not fit into ${unsigned ? 'an unsigned' : 'a'} 64-bit integer`);
    return unsigned ? new CelUint(0n) : 0n;
  }
}

const numberSyntax = /(?:(0[xX][0-9a-fA-F]+)|(?:\d*(\.\d+)|\d+)(?:[eE][+-]?\d+)?)([uU])?/y;

/** Whether `r`, `b` or both precede a quotation mark. */
function isStringPrefix(source: string, start: number): boolean {
  const code = source.charCodeAt(start) | 32;
  return (code === 114 || code === 98) && /^(?:[rR][bB]?|[bB][rR]?)["']/.test(source.slice(start, start + 3));
}

function skipBlank(source: string, at: number): number {
  for (;;) {
    const code = source.charCodeAt(at);
    if (code === 32 || (code >= 9 && code <= 13)) at++;
    else if (code === 47 && source.charCodeAt(at + 1) === 47) {
      const lineEnd = source.indexOf('\n', at);
      at = lineEnd < 0 ? source.length : lineEnd + 1;
    } else return at;
  }
}

function isLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || code === 95;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isNamePart(code: number): boolean {
  return isLetter(code) || isDigit(code);
}
