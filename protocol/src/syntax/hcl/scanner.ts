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

/** How deep blocks, brackets and templates may stand in each other; the parser and its readers recurse. */
export const MAX_DEPTH = 250;

/** More problems than this are not reported, and a file with as many is not read any further. */
export const MAX_PROBLEMS = 100;

/** Reads characters, white space, comments and names, and collects problems. The parsers build on it layer by layer. */
export class Scanner {
  readonly text: string;
  readonly file: string;
  readonly diagnostics: Diagnostic[] = [];

  /** Where the next character is read. */
  protected at: number;
  /** Whether a line break ends what is being read; it does not inside brackets, parentheses and `${…}`. */
  protected lineBreaksEnd = true;
  /**
   * Set when the text cannot be understood. From then on nothing is read until somebody who knows where to go on
   * clears it, and every reader returns what it has.
   */
  protected lost = false;
  protected depth = 0;

  #invisibleFound = false;
  /** Nothing is left that could be read: what is missing from now on is not reported. */
  protected cutShort = false;
  #gapStart = -1;
  #gapEnd = -1;

  constructor(text: string, file: string) {
    this.text = text;
    this.file = file;
    this.at = text.charCodeAt(0) === BYTE_ORDER_MARK ? 1 : 0;
  }

  protected code(ahead = 0): number {
    return this.text.charCodeAt(this.at + ahead);
  }

  protected get atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** The end of the last thing read, before the white space in front of the current place. */
  protected get lastEnd(): number {
    return this.at === this.#gapEnd ? this.#gapStart : this.at;
  }

  /** Skips white space and comments, and line breaks where they mean nothing. */
  protected skip(): void {
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

  protected atLineBreak(): boolean {
    const code = this.text.charCodeAt(this.at);
    return code === NEWLINE || (code === CARRIAGE_RETURN && this.text.charCodeAt(this.at + 1) === NEWLINE);
  }

  protected skipLineBreak(): void {
    const start = this.at;
    this.at += this.text.charCodeAt(start) === CARRIAGE_RETURN ? 2 : 1;
    if (start !== this.#gapEnd) this.#gapStart = start;
    this.#gapEnd = this.at;
  }

  /** The offset of the line break (its `\r` included) that ends the line of `offset`, or the end of the text. */
  protected lineEnd(offset: number): number {
    const end = this.text.indexOf('\n', offset);
    if (end < 0) return this.text.length;
    return end > offset && this.text.charCodeAt(end - 1) === CARRIAGE_RETURN ? end - 1 : end;
  }

  /** Reads a name, or nothing. */
  protected identifier(): string | undefined {
    const start = this.at;
    const end = identifierEnd(this.text, start);
    if (end === start) return undefined;
    this.at = end;
    return this.text.slice(start, end);
  }

  /** Reports a problem and goes on. */
  protected report(code: string, range: Range, message: string, help: string, related?: readonly RelatedPlace[]): void {
    if (this.diagnostics.length >= MAX_PROBLEMS || this.cutShort) return;
    const { file, text } = this;
    const start = Math.min(range.start, text.length);
    const place = { start, end: Math.min(Math.max(range.end, start), text.length) };
    const diagnostic = { code, severity: 'error', family: 'config', message, file, range: place, help } as const;
    this.diagnostics.push(related === undefined ? diagnostic : { ...diagnostic, related });
  }

  /** Reports a problem unless one is being recovered from already, and reads no further. */
  protected fail(code: string, range: Range, message: string, help: string): void {
    if (this.lost) return;
    this.report(code, range, message, help);
    this.lost = true;
  }

  /** Where something is missing: the character here, or the end of the last thing read when a line break follows it. */
  protected here(): Range {
    const last = this.lastEnd;
    if (this.atEnd || this.atLineBreak() || this.text.slice(last, this.at).includes('\n'))
      return { start: last, end: last };
    const point = this.text.codePointAt(this.at) ?? 0;
    const end = identifierEnd(this.text, this.at);
    return { start: this.at, end: Math.max(end, this.at + (point > 0xffff ? 2 : 1)) };
  }

  /** What stands here, for messages. */
  protected found(): string {
    const { start, end } = this.here();
    return start === end
      ? start >= this.text.length
        ? 'the end of the file'
        : 'the end of the line'
      : `"${this.text.slice(start, end)}"`;
  }

  /** Whether another level may be entered; a problem is reported when not. */
  protected enter(): boolean {
    if (this.depth < MAX_DEPTH) {
      this.depth++;
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

  protected leave(): void {
    this.depth--;
  }

  /** Reports a mistake and goes on. */
  protected reportMistake({ code, message, help, ...range }: Mistake): void {
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
    this.cutShort = true;
    return this.text.length;
  }
}
