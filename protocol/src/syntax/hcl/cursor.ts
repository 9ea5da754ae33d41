import type { Diagnostic, Range, RelatedPlace } from '../../text/index.ts';
import {
  BYTE_ORDER_MARK,
  CARRIAGE_RETURN,
  HASH,
  identifierEnd,
  NEWLINE,
  SLASH,
  SPACE,
  STAR,
  TAB,
} from './characters.ts';
import { invisibleAt, type Mistake } from './mistakes.ts';

/** How deep blocks, brackets and templates may be nested; the parser and its readers recurse. */
export const MAX_DEPTH = 250;

/** More problems than this are not reported, and a file with as many is not read any further. */
export const MAX_PROBLEMS = 100;

/**
 * The place in a text that is read, and what all that read it share: white space, comments and names, the problems
 * found so far, and what is open around the place. Every function of the parser takes one and moves it on.
 */
export class Cursor {
  readonly text: string;
  readonly file: string;
  readonly diagnostics: Diagnostic[] = [];

  /** Where the next character is read. */
  at: number;
  /** Whether a line break ends what is being read; it does not inside brackets, parentheses and `${…}`. */
  lineBreaksEnd = true;
  /**
   * Set when the text cannot be understood. From then on nothing is read until the reader that knows where to continue
   * clears it, and every reader returns what it has.
   */
  lost = false;
  /** Constructs whose end has not been found yet; more than none means that a lost place may be lines away. */
  open = 0;
  /** Operators and accesses read since it was last set to zero; long chains make trees that are deep to the left. */
  links = 0;
  /** Whether lines that are not indented further than the opening one end what was opened: see `parseHcl`. */
  byIndentation: boolean;
  /** Set when braces do not match, which makes a second reading by indentation worth while. */
  bracesMismatch = false;
  /** The name of the item that was read last is in quotes, as in JSON, where commas follow. */
  likeJson = false;

  #depth = 0;
  #invisibleFound = false;
  /** Nothing is left that could be read: what is missing from now on is not reported. */
  #cutShort = false;
  #gapStart = -1;
  #gapEnd = -1;

  constructor(text: string, file: string, byIndentation: boolean) {
    this.text = text;
    this.file = file;
    this.byIndentation = byIndentation;
    this.at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  }

  code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The end of the last thing read, before the white space in front of the current place. */
  get lastEnd(): number {
    return this.at === this.#gapEnd ? this.#gapStart : this.at;
  }

  /** Skips white space and comments, and line breaks where they mean nothing. */
  skip(): void {
    const text = this.text;
    const start = this.at;
    let at = start;
    for (;;) {
      const code = text.charCodeAt(at);
      if (code === SPACE || code === TAB) at++;
      else if (code === NEWLINE) {
        if (this.lineBreaksEnd) break;
        at++;
      } else if (code === CARRIAGE_RETURN && text.charCodeAt(at + 1) === NEWLINE) {
        if (this.lineBreaksEnd) break;
        at += 2;
      } else if (code === HASH) at = this.lineEnd(at);
      else if (code === SLASH) {
        const next = text.charCodeAt(at + 1);
        if (next === SLASH) at = this.lineEnd(at);
        else if (next === STAR) at = this.#commentEnd(at);
        else break;
      } else if (code > 127 && this.#isInvisible(at)) at++;
      else break;
    }
    this.at = at;
    if (at !== start) {
      if (start !== this.#gapEnd) this.#gapStart = start;
      this.#gapEnd = at;
    }
  }

  atLineBreak(): boolean {
    const code = this.text.charCodeAt(this.at);
    return code === NEWLINE || (code === CARRIAGE_RETURN && this.text.charCodeAt(this.at + 1) === NEWLINE);
  }

  skipLineBreak(): void {
    const start = this.at;
    this.at += this.text.charCodeAt(start) === CARRIAGE_RETURN ? 2 : 1;
    if (start !== this.#gapEnd) this.#gapStart = start;
    this.#gapEnd = this.at;
  }

  /** The offset of the line break (its `\r` included) that ends the line of `offset`, or the end of the text. */
  lineEnd(offset: number): number {
    const end = this.text.indexOf('\n', offset);
    if (end < 0) return this.text.length;
    return end > offset && this.text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end;
  }

  /** Reads a name, or nothing. */
  identifier(): string | undefined {
    const start = this.at;
    const end = identifierEnd(this.text, start);
    if (end === start) return undefined;
    this.at = end;
    return this.text.slice(start, end);
  }

  /** Reports a problem and continues. */
  report(code: string, range: Range, message: string, help: string, related?: readonly RelatedPlace[]): void {
    if (this.givenUp) return;
    const { file, text } = this;
    const start = Math.min(range.start, text.length);
    const place = { start, end: Math.min(Math.max(range.end, start), text.length) };
    const diagnostic = { code, severity: 'error', family: 'config', message, file, range: place, help } as const;
    this.diagnostics.push(related === undefined ? diagnostic : { ...diagnostic, related });
  }

  /** Reports a problem unless one is being recovered from already, and reads no further. */
  fail(code: string, range: Range, message: string, help: string): void {
    if (this.lost) return;
    this.report(code, range, message, help);
    this.lost = true;
  }

  /** Whether the rest of the text is not read, because it would be reported for nothing or is a comment. */
  get givenUp(): boolean {
    return this.#cutShort || this.diagnostics.length >= MAX_PROBLEMS;
  }

  /** Where something is missing: the character here, or the end of the last thing read when a line break follows it. */
  here(): Range {
    const last = this.lastEnd;
    if (this.atEnd || this.atLineBreak() || this.text.slice(last, this.at).includes('\n'))
      return { start: last, end: last };
    const point = this.text.codePointAt(this.at) ?? 0;
    const end = identifierEnd(this.text, this.at);
    return { start: this.at, end: Math.max(end, this.at + (point > 0xffff ? 2 : 1)) };
  }

  /** What is written here, for messages. */
  found(): string {
    const { start, end } = this.here();
    return start === end
      ? start >= this.text.length
        ? 'the end of the file'
        : 'the end of the line'
      : `"${this.text.slice(start, end)}"`;
  }

  /** Whether another level may be entered; a problem is reported when not. */
  enter(): boolean {
    if (this.#depth < MAX_DEPTH) {
      this.#depth++;
      return true;
    }
    this.fail(
      'syntax-too-deep',
      this.here(),
      `This is nested more than ${MAX_DEPTH} levels deep`,
      'Take the inner part out into a block or attribute of its own.',
    );
    return false;
  }

  leave(): void {
    this.#depth--;
  }

  /** Reports a mistake and continues. */
  reportMistake({ code, message, help, ...range }: Mistake): void {
    this.report(code, range, message, help);
  }

  /** Characters that look like white space are reported once, and read as what they look like. */
  #isInvisible(at: number): boolean {
    const found = invisibleAt(this.text, at);
    if (found === undefined) return false;
    if (!this.#invisibleFound) this.reportMistake(found);
    this.#invisibleFound = true;
    return true;
  }

  #commentEnd(start: number): number {
    const end = this.text.indexOf('*/', start + 2);
    if (end >= 0) return end + 2;
    this.report(
      'syntax-unclosed-comment',
      { start, end: start + 2 },
      'This comment is never closed',
      'End it with "*/".',
    );
    // Nothing is left to read: whatever else is missing is in the comment.
    this.#cutShort = true;
    return this.text.length;
  }
}
