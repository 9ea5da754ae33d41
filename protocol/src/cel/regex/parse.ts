import { letterClasses, namedClasses, unicodeClass } from './classes.ts';
import { type CharacterRanges, complement, everything, foldCase, lastCodePoint, union } from './ranges.ts';
import type { Assertion, RegexNode } from './syntax.ts';

/** RE2 refuses more repetitions than this. */
const mostRepetitions = 1000;
const deepestNesting = 200;

interface Flags {
  readonly ignoreCase: boolean;
  readonly multiLine: boolean;
  readonly dotAll: boolean;
  readonly ungreedy: boolean;
}

/** What is wrong with a pattern. `at` is an offset into it. */
export class RegexSyntaxError extends Error {
  override readonly name = 'RegexSyntaxError';
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Reads a pattern in RE2 syntax. Throws RegexSyntaxError. */
export function parseRegex(pattern: string): RegexNode {
  return new RegexParser(pattern).parse();
}

class RegexParser {
  readonly #pattern: string;
  #at = 0;
  #depth = 0;
  #flags: Flags = { ignoreCase: false, multiLine: false, dotAll: false, ungreedy: false };

  constructor(pattern: string) {
    this.#pattern = pattern;
  }

  parse(): RegexNode {
    const node = this.#choice();
    if (this.#at < this.#pattern.length) this.#fail('")" without "("');
    return node;
  }

  #fail(message: string, at = this.#at): never {
    throw new RegexSyntaxError(message, at);
  }

  #peek(): string {
    return this.#pattern.charAt(this.#at);
  }

  #accept(text: string): boolean {
    if (!this.#pattern.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #character(): string {
    const code = this.#pattern.codePointAt(this.#at);
    if (code === undefined) this.#fail('the pattern ends too early');
    const character = String.fromCodePoint(code);
    this.#at += character.length;
    return character;
  }

  #choice(): RegexNode {
    const parts = [this.#sequence()];
    while (this.#accept('|')) parts.push(this.#sequence());
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'choice', parts };
  }

  #sequence(): RegexNode {
    const parts: RegexNode[] = [];
    while (this.#at < this.#pattern.length && this.#peek() !== '|' && this.#peek() !== ')') {
      if (this.#accept('\\Q')) {
        const end = this.#pattern.indexOf('\\E', this.#at);
        for (const character of this.#pattern.slice(this.#at, end < 0 ? undefined : end))
          parts.push(this.#literal(character));
        this.#at = end < 0 ? this.#pattern.length : end + 2;
      } else parts.push(this.#repeated(this.#atom()));
    }
    return parts.length === 1 ? (parts[0] as RegexNode) : { kind: 'sequence', parts };
  }

  #repeated(part: RegexNode): RegexNode {
    const start = this.#at;
    const bounds = this.#bounds();
    if (!bounds) return part;
    this.#accept('?');
    const [least, most] = bounds;
    if (this.#bounds()) this.#fail('a repetition of a repetition', start);
    return { kind: 'repeat', part, least, most };
  }

  #bounds(): readonly [number, number] | undefined {
    if (this.#accept('*')) return [0, Number.POSITIVE_INFINITY];
    if (this.#accept('+')) return [1, Number.POSITIVE_INFINITY];
    if (this.#accept('?')) return [0, 1];
    const match = /^\{(\d+)(,?)(\d*)\}/.exec(this.#pattern.slice(this.#at, this.#at + 24));
    if (!match) return undefined;
    const least = Number(match[1]);
    const most = match[2] === '' ? least : match[3] === '' ? Number.POSITIVE_INFINITY : Number(match[3]);
    if (least > mostRepetitions || (most > mostRepetitions && most !== Number.POSITIVE_INFINITY) || most < least)
      this.#fail(`the repetition ${match[0]} is not between 0 and ${mostRepetitions}`);
    this.#at += match[0].length;
    return [least, most];
  }

  #atom(): RegexNode {
    const start = this.#at;
    const character = this.#character();
    switch (character) {
      case '(':
        return this.#group(start);
      case '[':
        return this.#ranges(this.#bracketClass(start));
      case '.':
        return { kind: 'characters', ranges: this.#flags.dotAll ? everything : complement([10, 10]) };
      case '^':
        return assertion(this.#flags.multiLine ? 'line-start' : 'text-start');
      case '$':
        return assertion(this.#flags.multiLine ? 'line-end' : 'text-end');
      case '\\':
        return this.#escape(start);
      case '*':
      case '+':
      case '?':
        return this.#fail(`nothing to repeat before "${character}"`, start);
      default:
        return this.#literal(character);
    }
  }

  #literal(character: string): RegexNode {
    const code = character.codePointAt(0) as number;
    return this.#ranges([code, code]);
  }

  #ranges(ranges: CharacterRanges): RegexNode {
    return { kind: 'characters', ranges: this.#flags.ignoreCase ? foldCase(ranges) : ranges };
  }

  #group(start: number): RegexNode {
    const outer = this.#flags;
    if (this.#accept('?')) {
      const named = /^P?<(\w+)>/.exec(this.#pattern.slice(this.#at));
      if (named) this.#at += named[0].length;
      else if (!this.#setFlags(start)) return { kind: 'sequence', parts: [] };
    }
    if (++this.#depth > deepestNesting) this.#fail('the groups are nested too deeply', start);
    const node = this.#choice();
    this.#depth--;
    if (!this.#accept(')')) this.#fail('"(" without ")"', start);
    this.#flags = outer;
    return node;
  }

  /** `(?i)` sets flags for what follows and gives false, `(?i:…)` for its own content. */
  #setFlags(start: number): boolean {
    const match = /^([imsU]*)(?:-([imsU]+))?([:)])/.exec(this.#pattern.slice(this.#at));
    if (!match || (match[0] === ')' && match[1] === ''))
      return this.#fail('this kind of group is not supported', start);
    const [whole, on = '', off = '', end] = match;
    this.#at += whole.length;
    const value = (letter: string, before: boolean): boolean =>
      (on.includes(letter) || before) && !off.includes(letter);
    const { ignoreCase, multiLine, dotAll, ungreedy } = this.#flags;
    this.#flags = {
      ignoreCase: value('i', ignoreCase),
      multiLine: value('m', multiLine),
      dotAll: value('s', dotAll),
      ungreedy: value('U', ungreedy),
    };
    return end === ':';
  }

  #escape(start: number): RegexNode {
    const letter = this.#peek();
    const simple = Object.hasOwn(assertions, letter) ? assertions[letter] : undefined;
    if (simple) {
      this.#at++;
      return assertion(simple);
    }
    if (this.#accept('C')) return { kind: 'characters', ranges: everything };
    const known = this.#escapedClass(start);
    if (known) return this.#ranges(known);
    const code = this.#escapedCharacter(start);
    return this.#ranges([code, code]);
  }

  #escapedClass(start: number): CharacterRanges | undefined {
    const letter = this.#peek();
    if (Object.hasOwn(letterClasses, letter)) {
      this.#at++;
      return letterClasses[letter];
    }
    if (letter !== 'p' && letter !== 'P') return undefined;
    const match = /^[pP](?:([A-Za-z])|\{(\^?)([^}]*)\})/.exec(this.#pattern.slice(this.#at));
    if (!match) return this.#fail('a Unicode class is written \\pL or \\p{Greek}', start);
    this.#at += match[0].length;
    const name = match[1] ?? (match[3] as string);
    const ranges = unicodeClass(name) ?? this.#fail(`there is no Unicode class ${JSON.stringify(name)}`, start);
    return (letter === 'P') !== (match[2] === '^') ? complement(ranges) : ranges;
  }

  #escapedCharacter(start: number): number {
    const character = this.#character();
    const control = Object.hasOwn(controls, character) ? controls[character] : undefined;
    if (control !== undefined) return control;
    if (character === 'x') return this.#hexadecimal(start);
    if (/[0-7]/.test(character)) {
      const octal = /^(?:0[0-7]{0,2}|[1-7][0-7]{1,2})/.exec(this.#pattern.slice(this.#at - 1));
      if (!octal) return this.#fail('back-references are not supported', start);
      this.#at += octal[0].length - 1;
      return Number.parseInt(octal[0], 8);
    }
    if (/[A-Za-z0-9]/.test(character)) return this.#fail(`unknown escape \\${character}`, start);
    return character.codePointAt(0) as number;
  }

  #hexadecimal(start: number): number {
    const match = /^(?:([0-9a-fA-F]{2})|\{([0-9a-fA-F]+)\})/.exec(this.#pattern.slice(this.#at, this.#at + 12));
    const code = match ? Number.parseInt(match[1] ?? (match[2] as string), 16) : lastCodePoint + 1;
    if (!match || code > lastCodePoint) return this.#fail('\\x needs two hexadecimal digits or {digits}', start);
    this.#at += match[0].length;
    return code;
  }

  #bracketClass(start: number): CharacterRanges {
    const negated = this.#accept('^');
    let ranges: CharacterRanges = [];
    for (let first = true; first || this.#peek() !== ']'; first = false) {
      if (this.#at >= this.#pattern.length) this.#fail('"[" without "]"', start);
      ranges = union(ranges, this.#classPart());
    }
    this.#at++;
    if (this.#flags.ignoreCase) ranges = foldCase(ranges);
    return negated ? complement(ranges) : ranges;
  }

  #classPart(): CharacterRanges {
    const start = this.#at;
    const named = /^\[:(\^?)(\w+):\]/.exec(this.#pattern.slice(start, start + 16));
    if (named) {
      this.#at += named[0].length;
      const name = named[2] as string;
      const ranges = Object.hasOwn(namedClasses, name) ? namedClasses[name] : undefined;
      if (!ranges) return this.#fail(`there is no character class ${named[0]}`, start);
      return named[1] === '^' ? complement(ranges) : ranges;
    }
    if (this.#accept('\\')) {
      const known = this.#escapedClass(start);
      if (known) return known;
      this.#at = start;
    }
    const from = this.#classCharacter();
    if (this.#peek() !== '-' || this.#pattern.charAt(this.#at + 1) === ']' || this.#at + 1 >= this.#pattern.length)
      return [from, from];
    this.#at++;
    const to = this.#classCharacter();
    return to < from ? this.#fail('the range runs backwards', start) : [from, to];
  }

  #classCharacter(): number {
    const start = this.#at;
    const character = this.#character();
    return character === '\\' ? this.#escapedCharacter(start) : (character.codePointAt(0) as number);
  }
}

const assertions: Readonly<Record<string, Assertion>> = {
  A: 'text-start',
  z: 'text-end',
  b: 'word-edge',
  B: 'no-word-edge',
};

const controls: Readonly<Record<string, number>> = { a: 7, f: 12, t: 9, n: 10, r: 13, v: 11 };

function assertion(name: Assertion): RegexNode {
  return { kind: 'assertion', assertion: name };
}
