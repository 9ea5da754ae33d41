import type { Expression, ForExpression, ListExpression, Name, ObjectEntry, ObjectExpression } from '../tree.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COLON,
  COMMA,
  DOT,
  EQUALS,
  GREATER,
  identifierEnd,
} from './characters.ts';
import { nestedQuotes } from './mistakes.ts';
import { continuesInside, indentationAt } from './recovery.ts';
import { TemplateParser } from './template.ts';

/** Reads what stands between brackets, braces and parentheses, and goes on inside after a bad element. */
export abstract class CollectionParser extends TemplateParser {
  /** Whether lines that are not indented further than the opening one end what was opened: see `parseHcl`. */
  protected byIndentation = false;

  protected list(): ListExpression | ForExpression {
    const start = this.at++;
    const outer = this.#enterBrackets();
    if (this.#atFor()) return this.#forExpression(start, 'list', outer);
    const items: Expression[] = [];
    this.#elements(start, CLOSE_BRACKET, '"]"', () => items.push(this.expression()));
    const end = this.#leaveBrackets(outer);
    return { kind: 'list', items, start, end };
  }

  /** Reads from the opening parenthesis of a call to the closing one. */
  protected callArguments(): { readonly list: Expression[]; readonly expandLast: boolean; readonly end: number } {
    const start = this.at++;
    const outer = this.#enterBrackets();
    const list: Expression[] = [];
    let expandLast = false;
    this.#elements(start, CLOSE_PARENTHESIS, '")"', () => {
      list.push(this.expression());
      if (this.lost) return;
      this.skip();
      if (!this.text.startsWith('...', this.at)) return;
      this.at += 3;
      expandLast = true;
      this.skip();
      if (this.code() !== CLOSE_PARENTHESIS)
        this.fail(
          'syntax-bad-call',
          this.here(),
          'Nothing may follow an argument with "..."',
          'Write ")" after "...".',
        );
    });
    return { list, expandLast, end: this.#leaveBrackets(outer) };
  }

  protected object(): ObjectExpression | ForExpression {
    const start = this.at++;
    const outer = this.#enterBrackets();
    if (this.#atFor()) return this.#forExpression(start, 'object', outer);
    this.lineBreaksEnd = true;
    this.at = start + 1;
    const entries: ObjectEntry[] = [];
    for (;;) {
      if (this.lost && !this.#resumeInside(start)) break;
      this.skip();
      if (this.atLineBreak()) this.skipLineBreak();
      else if (this.code() === CLOSE_BRACE && !this.#outdented(start, true)) {
        this.at++;
        break;
      } else if (this.atEnd || this.#outdented(start, false)) this.#unclosed(start, '"}"');
      else entries.push(this.#entry());
    }
    return { kind: 'object', entries, start, end: this.#leaveBrackets(outer) };
  }

  #entry(): ObjectEntry {
    const key = this.expression();
    if (!this.lost) this.skip();
    if (this.lost) return { key, value: nothing(key.end), start: key.start, end: key.end };
    const code = this.code();
    if (code !== COLON && (code !== EQUALS || this.code(1) === EQUALS)) {
      this.fail(
        'syntax-missing-separator',
        this.here(),
        `Expected "=" after the key but found ${this.found()}`,
        'Write "key = value"; a key that is no plain name is quoted or put in parentheses.',
      );
      return { key, value: nothing(key.end), start: key.start, end: key.end };
    }
    this.at++;
    this.skip();
    const value = this.expression();
    const entry = { key, value, start: key.start, end: value.end };
    if (this.lost) return entry;
    this.skip();
    if (this.code() !== COMMA && this.code() !== CLOSE_BRACE) this.#passNestedQuotes(value.start);
    if (this.code() === COMMA) this.at++;
    else if (this.atLineBreak()) this.skipLineBreak();
    else if (this.code() !== CLOSE_BRACE && !this.atEnd)
      this.fail(
        'syntax-missing-separator',
        this.here(),
        `Expected a line break or "," between the entries but found ${this.found()}`,
        'Write every entry on its own line, or a comma between two on one line.',
      );
    return entry;
  }

  /** Reads elements with commas between them and the closing character. */
  #elements(start: number, close: number, closing: string, read: () => void): void {
    for (;;) {
      if (this.lost && !this.#resumeInside(start)) return;
      this.skip();
      if (this.code() === close) {
        this.at++;
        return;
      }
      if (this.atEnd) {
        this.#unclosed(start, closing);
        return;
      }
      const element = this.at;
      read();
      if (this.lost) continue;
      this.skip();
      if (this.code() !== COMMA && this.code() !== close) this.#passNestedQuotes(element);
      if (this.code() === COMMA) this.at++;
      else if (this.code() !== close && this.atEnd) this.#unclosed(start, closing);
      else if (this.code() !== close)
        this.fail(
          'syntax-missing-separator',
          this.here(),
          `Expected "," or ${closing} but found ${this.found()}`,
          `Put a comma between two elements, and ${closing} after the last one.`,
        );
    }
  }

  /** After a value that is followed by neither its end nor another one: double quotes within it are one mistake. */
  #passNestedQuotes(start: number): void {
    const line = this.lineEnd(start);
    if (this.at > line) return;
    const found = nestedQuotes(this.text, start, this.at, line);
    if (found === undefined) return;
    this.reportMistake(found);
    this.at = found.end;
    this.skip();
  }

  #unclosed(start: number, closing: string): void {
    const range = { start, end: start + 1 };
    const opening = this.text.charAt(start);
    this.fail('syntax-unclosed-bracket', range, `This "${opening}" is never closed`, `Write ${closing} where it ends.`);
  }

  #enterBrackets(): boolean {
    const outer = this.lineBreaksEnd;
    this.lineBreaksEnd = false;
    this.open++;
    return outer;
  }

  #leaveBrackets(outer: boolean): number {
    this.lineBreaksEnd = outer;
    if (!this.lost) this.open--;
    return this.lost ? this.lastEnd : this.at;
  }

  /** After a bad element: goes to the end of its line when the lines below still belong to what opened at `start`. */
  #resumeInside(start: number): boolean {
    if (this.tooManyProblems()) return false;
    const end = continuesInside(this.text, start, this.lastEnd);
    if (end === undefined) return false;
    this.at = end;
    this.lost = false;
    return true;
  }

  /** While reading by indentation: whether the line that starts here lies left of what opened at `start`. */
  #outdented(start: number, closing: boolean): boolean {
    if (!this.byIndentation) return false;
    const line = indentationAt(this.text, this.at);
    if (line.first !== this.at || line.start <= start) return false;
    const opening = indentationAt(this.text, start).width;
    return closing ? line.width < opening : line.width <= opening;
  }

  /** Whether the word `for` comes next, on this line or below. */
  #atFor(): boolean {
    this.skip();
    return this.text.startsWith('for', this.at) && identifierEnd(this.text, this.at) === this.at + 3;
  }

  #forExpression(start: number, form: 'list' | 'object', outer: boolean): ForExpression {
    this.at += 3;
    this.skip();
    const names = this.loopNames();
    const collection = this.#next();
    this.#expect(COLON, '":"', 'Write "for name in collection : value".');
    let value = this.#next();
    let key: Expression | undefined;
    let grouped = false;
    let condition: Expression | undefined;
    if (!this.lost && this.code() === EQUALS && this.code(1) === GREATER) {
      if (form === 'list')
        this.fail(
          'syntax-bad-for',
          this.here(),
          'A list has no keys',
          'Write "{" and "}" around it to build an object.',
        );
      else this.at += 2;
      key = value;
      value = this.#next();
    } else if (form === 'object')
      this.fail(
        'syntax-bad-for',
        this.here(),
        'The key of an object is missing',
        'Write "for name in collection : key => value".',
      );
    if (!this.lost && this.code() === DOT && this.text.startsWith('...', this.at)) {
      if (form === 'list')
        this.fail('syntax-bad-for', this.here(), 'Only objects group values of equal keys', 'Leave "..." out.');
      else this.at += 3;
      grouped = true;
      this.skip();
    }
    if (!this.lost && this.text.startsWith('if', this.at) && identifierEnd(this.text, this.at) === this.at + 2) {
      this.at += 2;
      condition = this.#next();
    }
    if (form === 'list') this.#expect(CLOSE_BRACKET, '"]"', 'Write "]" after the value or its condition.');
    else this.#expect(CLOSE_BRACE, '"}"', 'Write "}" after the value or its condition.');
    const end = this.#leaveBrackets(outer);
    return { kind: 'for', form, ...loopOf(names), collection, key, value, grouped, condition, start, end };
  }

  /** The next expression with the white space around it. */
  #next(): Expression {
    if (this.lost) return nothing(this.lastEnd);
    this.skip();
    const expression = this.expression();
    if (!this.lost) this.skip();
    return expression;
  }

  #expect(code: number, character: string, help: string): void {
    if (this.lost) return;
    if (this.code() === code) this.at++;
    else this.fail('syntax-bad-for', this.here(), `Expected ${character} but found ${this.found()}`, help);
  }

  protected abstract tooManyProblems(): boolean;
}

function nothing(at: number): Expression {
  return { kind: 'invalid', start: at, end: at };
}

function loopOf(names: { readonly key: Name | undefined; readonly value: Name }) {
  return { keyName: names.key, valueName: names.value };
}
