import type { Range } from '../../text/index.ts';
import type { Expression, Name, TemplateExpression, TemplatePart } from '../tree.ts';
import {
  BACKSLASH,
  CARRIAGE_RETURN,
  CLOSE_BRACE,
  COMMA,
  DOLLAR,
  leadingSpace,
  MINUS,
  NEWLINE,
  OPEN_BRACE,
  PERCENT,
  QUOTE,
  TILDE,
  withoutTrailingSpace,
} from './characters.ts';
import { pairDirectives } from './directives.ts';
import { almostMarker, endOfBrokenText, foreignQuotes, heredocMarker } from './mistakes.ts';
import {
  applyTrimMarkers,
  normalized,
  type Piece,
  removeIndentation,
  type SequencePiece,
  type TextPiece,
} from './pieces.ts';
import { Scanner } from './scanner.ts';

const NEEDS_READING = /[\\$%\n\r]/;
const LONE_CARRIAGE_RETURN = /\r(?!\n)/;
const HEXADECIMAL = /^[0-9a-fA-F]+$/;
const SIMPLE_ESCAPES: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '"': '"', '\\': '\\' };

/** Reads quoted strings and heredocs with their interpolations and directives. */
export abstract class TemplateParser extends Scanner {
  /** Constructs whose end has not been found yet; more than none means that a lost place may be lines away. */
  protected open = 0;

  protected abstract expression(): Expression;

  /** Reads from the opening quote to the closing one. */
  protected quoted(): TemplateExpression {
    const start = this.at;
    const plain = this.#plainText();
    if (plain !== undefined) return plain;
    this.at = start + 1;
    const pieces: Piece[] = [];
    const end = this.#quotedPieces(start, pieces);
    applyTrimMarkers(pieces);
    return { kind: 'template', form: 'quoted', parts: this.#parts(pieces), start, end };
  }

  /** Reads a text in quotation marks that HCL does not know, which is reported; nothing where none stands. */
  protected foreignQuoted(): TemplateExpression | undefined {
    const range = foreignQuotes(this.text, this.at);
    if (range === undefined) return undefined;
    const { start, end } = range;
    this.at = end;
    const value = this.text.slice(start + 1, end - 1);
    const written = value.replaceAll('"', "'");
    this.report('syntax-quotation-marks', range, 'Text stands in double quotes', `Write "${written}".`);
    const parts: TemplatePart[] =
      value === '' ? [] : [{ kind: 'text', value: normalized(value), start: start + 1, end: end - 1 }];
    return { kind: 'template', form: 'quoted', parts, start, end };
  }

  /** Reads from `<<` to the end of the closing marker. */
  protected heredoc(): TemplateExpression {
    const start = this.at;
    this.at += 2;
    const indented = this.code() === MINUS;
    if (indented) this.at++;
    const form = indented ? 'indented-heredoc' : 'heredoc';
    const marker = this.identifier();
    if (marker === undefined || !this.atLineBreak()) {
      const range = { start, end: this.lineEnd(start) };
      const message = 'A text over several lines starts with "<<", a marker, and a line break';
      const help = 'Write "<<EOT", the text on the following lines, and "EOT" on a line of its own.';
      const end = this.#closingLine(start);
      if (end === undefined) this.fail('syntax-heredoc-start', range, message, help);
      else {
        this.report('syntax-heredoc-start', range, message, help);
        this.at = end;
      }
      return { kind: 'template', form, parts: [], start, end: this.at };
    }
    const opening = { start, end: this.at };
    this.at = this.text.indexOf('\n', this.at) + 1;
    const pieces: Piece[] = [];
    const end = this.#heredocPieces(opening, marker, pieces);
    applyTrimMarkers(pieces);
    if (indented) removeIndentation(pieces);
    return { kind: 'template', form, parts: this.#parts(pieces), start, end };
  }

  /** The end of the line that closes a heredoc whose first line is wrong, where there is one. */
  #closingLine(start: number): number | undefined {
    const first = this.lineEnd(start);
    const marker = heredocMarker(this.text.slice(start, first));
    if (marker === undefined) return undefined;
    for (let at = this.text.indexOf('\n', first); at >= 0; at = this.text.indexOf('\n', at + 1)) {
      const end = this.lineEnd(at + 1);
      if (this.text.slice(at + 1, end).trim() === marker) return end;
    }
    return undefined;
  }

  /** Text without escapes, holes or line breaks needs no reading character by character. */
  #plainText(): TemplateExpression | undefined {
    const start = this.at;
    const close = this.text.indexOf('"', start + 1);
    if (close < 0) return undefined;
    const value = this.text.slice(start + 1, close);
    if (NEEDS_READING.test(value)) return undefined;
    this.at = close + 1;
    const parts: TemplatePart[] =
      value === '' ? [] : [{ kind: 'text', value: normalized(value), start: start + 1, end: close }];
    return { kind: 'template', form: 'quoted', parts, start, end: close + 1 };
  }

  #parts(pieces: readonly Piece[]): TemplatePart[] {
    return pairDirectives(pieces, (code, range, message, help) => {
      if (!this.lost) this.report(code, range, message, help);
    });
  }

  #quotedPieces(start: number, pieces: Piece[]): number {
    let value = '';
    let from = this.at;
    const flush = () => {
      if (value !== '') pieces.push({ kind: 'text', value, start: from, end: this.at });
      value = '';
    };
    for (;;) {
      const code = this.code();
      if (code === QUOTE) {
        flush();
        this.at++;
        return this.at;
      }
      if (Number.isNaN(code) || code === NEWLINE || code === CARRIAGE_RETURN) {
        flush();
        const end = this.at;
        this.fail(
          'syntax-unclosed-string',
          { start, end },
          'This text is never closed',
          'End it with a double quote on the same line; a text over several lines is written as "<<EOT".',
        );
        this.at = endOfBrokenText(this.text, end) ?? end;
        return end;
      }
      if (code === BACKSLASH) value += this.#escape();
      else if (code === DOLLAR || code === PERCENT) {
        if (this.code(1) === OPEN_BRACE) {
          flush();
          const piece = this.#sequence();
          pieces.push(piece);
          if (this.lost) return piece.end;
          from = this.at;
        } else value += this.#introducer(code);
      } else {
        const run = this.at;
        while (isPlain(this.text.charCodeAt(this.at))) this.at++;
        if (this.at === run) this.at++;
        value += this.text.slice(run, this.at);
      }
    }
  }

  #heredocPieces(opening: Range, marker: string, pieces: Piece[]): number {
    let line: TextPiece | undefined;
    const add = (value: string, start: number) => {
      if (line === undefined) pieces.push((line = { kind: 'text', value, start, end: this.at }));
      else {
        line.value += value;
        line.end = this.at;
      }
    };
    for (;;) {
      if (this.text.charCodeAt(this.at - 1) === NEWLINE) {
        line = undefined;
        const end = this.#markerEnd(opening, marker);
        if (end !== undefined) return end;
      }
      const start = this.at;
      const code = this.code();
      if (this.atEnd) {
        this.open++;
        this.fail(
          'syntax-unclosed-heredoc',
          opening,
          `The text that starts with "${this.text.slice(opening.start, opening.end)}" is never closed`,
          this.#closingHelp(opening, marker),
        );
        return this.at;
      }
      if (code === DOLLAR || code === PERCENT) {
        if (this.code(1) === OPEN_BRACE) {
          line = undefined;
          const piece = this.#sequence();
          pieces.push(piece);
          if (this.lost) return piece.end;
        } else add(this.#introducer(code), start);
      } else {
        this.at = nextOf(this.text, start);
        const value = this.text.slice(start, this.at);
        if (LONE_CARRIAGE_RETURN.test(value)) this.#carriageReturn(start, value);
        add(value, start);
      }
    }
  }

  #closingHelp(opening: Range, marker: string): string {
    const almost = almostMarker(this.text, opening.end, marker);
    return almost === undefined
      ? `Write "${marker}" on a line of its own after the text.`
      : `Nothing may follow "${marker}" on the line that ends the text, such as in "${almost}".`;
  }

  #carriageReturn(start: number, value: string): void {
    const at = start + value.search(LONE_CARRIAGE_RETURN);
    this.report(
      'syntax-carriage-return',
      { start: at, end: at + 1 },
      'A carriage return stands without its line feed',
      'Save the file with line breaks of one kind.',
    );
  }

  /** At the start of a line: the end of the closing marker when this line is one. */
  #markerEnd(opening: Range, marker: string): number | undefined {
    const found = this.text.indexOf('\n', this.at);
    const end = found < 0 ? this.text.length : found;
    const line = this.text.slice(this.at, end);
    if (!line.includes(marker) || withoutTrailingSpace(line.slice(leadingSpace(line))) !== marker) return undefined;
    if (found < 0)
      this.report(
        'syntax-unclosed-heredoc',
        opening,
        `A line break is missing after the closing "${marker}"`,
        'End the last line of the file with a line break.',
      );
    if (LONE_CARRIAGE_RETURN.test(`${line}\n`)) this.#carriageReturn(this.at, `${line}\n`);
    const markerEnd = this.at + line.indexOf(marker) + marker.length;
    this.at = this.lineEnd(markerEnd);
    return markerEnd;
  }

  /** `$` or `%` that opens nothing: itself, or the `${` of an escaped `$${`. */
  #introducer(code: number): string {
    if (this.code(1) === code && this.code(2) === OPEN_BRACE) {
      this.at += 3;
      return code === DOLLAR ? '${' : '%{';
    }
    this.at++;
    return code === DOLLAR ? '$' : '%';
  }

  #escape(): string {
    const start = this.at;
    const letter = this.text.charAt(start + 1);
    const simple = SIMPLE_ESCAPES[letter];
    if (simple !== undefined) {
      this.at += 2;
      return simple;
    }
    const length = letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
    const digits = this.text.slice(start + 2, start + 2 + length);
    if (length > 0 && digits.length === length && HEXADECIMAL.test(digits)) {
      const point = Number.parseInt(digits, 16);
      if (point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)) {
        this.at += 2 + length;
        return String.fromCodePoint(point);
      }
    }
    this.at++;
    this.report(
      'syntax-bad-escape',
      { start, end: start + 2 },
      `"${this.text.slice(start, start + 2)}" is no escape sequence`,
      'Use \\n, \\r, \\t, \\", \\\\, \\u and four or \\U and eight hexadecimal digits; a backslash itself is written twice.',
    );
    return '';
  }

  /** Reads `${…}` or `%{…}`. */
  #sequence(): SequencePiece {
    const start = this.at;
    const interpolation = this.code() === DOLLAR;
    this.at += 2;
    const trimBefore = this.code() === TILDE;
    if (trimBefore) this.at++;
    const outer = this.lineBreaksEnd;
    this.lineBreaksEnd = false;
    this.open++;
    this.skip();
    const content = interpolation
      ? ({ kind: 'interpolation', expression: this.expression(), key: undefined, value: undefined } as const)
      : this.#directive();
    if (!this.lost) this.skip();
    const trimAfter = !this.lost && this.code() === TILDE && this.code(1) === CLOSE_BRACE;
    if (trimAfter) this.at++;
    if (!this.lost && this.code() !== CLOSE_BRACE)
      this.fail(
        'syntax-unclosed-template',
        this.here(),
        `Expected "}" but found ${this.found()}`,
        `Close what "\${" or "%{" opened with "}".`,
      );
    if (!this.lost) {
      this.at++;
      this.open--;
    }
    this.lineBreaksEnd = outer;
    const end = this.lost ? Math.max(content.expression?.end ?? 0, this.lastEnd) : this.at;
    return { ...content, trimBefore, trimAfter, start, end };
  }

  #directive(): Pick<SequencePiece, 'kind' | 'expression' | 'key' | 'value'> {
    const start = this.at;
    const word = this.identifier();
    this.skip();
    if (word === 'else' || word === 'endif' || word === 'endfor')
      return { kind: word, expression: undefined, key: undefined, value: undefined };
    if (word === 'if') return { kind: 'if', expression: this.expression(), key: undefined, value: undefined };
    if (word === 'for') {
      const { key, value } = this.loopNames();
      return { kind: 'for', expression: this.lost ? undefined : this.expression(), key, value };
    }
    this.fail(
      'syntax-unknown-directive',
      { start, end: Math.max(this.lastEnd, start) },
      word === undefined ? 'A directive is missing after "%{"' : `There is no directive "${word}"`,
      'Write if, else, endif, for or endfor after "%{"; a plain "%{" is written "%%{".',
    );
    return { kind: 'else', expression: undefined, key: undefined, value: undefined };
  }

  /** Reads `value in` or `key, value in`, after `for`. */
  protected loopNames(): { readonly key: Name | undefined; readonly value: Name } {
    const first = this.#loopName();
    this.skip();
    let second: Name | undefined;
    if (!this.lost && this.code() === COMMA) {
      this.at++;
      this.skip();
      second = this.#loopName();
      this.skip();
    }
    const word = this.here();
    if (!this.lost && this.identifier() !== 'in')
      this.fail('syntax-bad-for', word, 'The word "in" is missing', 'Write "for name in collection".');
    if (!this.lost) this.skip();
    return second === undefined ? { key: undefined, value: first } : { key: first, value: second };
  }

  #loopName(): Name {
    const start = this.at;
    const text = this.identifier();
    if (text !== undefined) return { text, start, end: this.at };
    this.fail(
      'syntax-bad-for',
      this.here(),
      `Expected a name after "for" but found ${this.found()}`,
      'Write "for name in collection" or "for key, value in collection".',
    );
    return { text: '', start: this.lastEnd, end: this.lastEnd };
  }
}

function isPlain(code: number): boolean {
  return (
    code !== QUOTE &&
    code !== BACKSLASH &&
    code !== DOLLAR &&
    code !== PERCENT &&
    code !== NEWLINE &&
    code !== CARRIAGE_RETURN &&
    !Number.isNaN(code)
  );
}

/** The end of the text that starts at `start` and has no `$` or `%`: after the line break, or at the next of them. */
function nextOf(text: string, start: number): number {
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === NEWLINE) return at + 1;
    if (code === DOLLAR || code === PERCENT) return at;
  }
  return text.length;
}
