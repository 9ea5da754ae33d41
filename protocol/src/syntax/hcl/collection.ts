import type { Expression, ForExpression, ListExpression, ObjectEntry, ObjectExpression } from '../tree.ts';
import { enterBrackets, failUnclosed, isOutdented, leaveBrackets, resumeInside } from './brackets.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PARENTHESIS, COLON, COMMA, EQUALS } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { nothing, parseExpression } from './expression.ts';
import { parseFor, startsFor } from './for.ts';
import { nestedQuotes } from './mistakes.ts';

interface Arguments {
  readonly list: Expression[];
  /** The last one has `...` behind it. */
  expandLast: boolean;
  end: number;
}

/** Reads `[…]`. */
export function parseList(cursor: Cursor): ListExpression | ForExpression {
  const start = cursor.at++;
  const outer = enterBrackets(cursor);
  if (startsFor(cursor)) return parseFor(cursor, start, 'list', outer);
  const items: Expression[] = [];
  parseElements(cursor, start, CLOSE_BRACKET, '"]"', readItem, items);
  const end = leaveBrackets(cursor, outer);
  return { kind: 'list', items, start, end };
}

/** Reads from the opening parenthesis of a call to the closing one. */
export function parseArguments(cursor: Cursor): Arguments {
  const start = cursor.at++;
  const outer = enterBrackets(cursor);
  const read: Arguments = { list: [], expandLast: false, end: start };
  parseElements(cursor, start, CLOSE_PARENTHESIS, '")"', readArgument, read);
  read.end = leaveBrackets(cursor, outer);
  return read;
}

function readItem(cursor: Cursor, items: Expression[]): void {
  items.push(parseExpression(cursor));
}

function readArgument(cursor: Cursor, read: Arguments): void {
  read.list.push(parseExpression(cursor));
  if (cursor.lost) return;
  cursor.skip();
  if (!cursor.text.startsWith('...', cursor.at)) return;
  cursor.at += 3;
  read.expandLast = true;
  cursor.skip();
  if (cursor.code() !== CLOSE_PARENTHESIS)
    cursor.fail(
      'syntax-bad-call',
      cursor.here(),
      'Nothing may follow an argument with "..."',
      'Write ")" after "...".',
    );
}

/** Reads `{…}`. */
export function parseObject(cursor: Cursor): ObjectExpression | ForExpression {
  const start = cursor.at++;
  const outer = enterBrackets(cursor);
  if (startsFor(cursor)) return parseFor(cursor, start, 'object', outer);
  cursor.lineBreaksEnd = true;
  cursor.at = start + 1;
  const entries: ObjectEntry[] = [];
  for (;;) {
    if (cursor.lost && !resumeInside(cursor, start)) break;
    cursor.skip();
    if (cursor.atLineBreak()) cursor.skipLineBreak();
    else if (cursor.code() === CLOSE_BRACE && !isOutdented(cursor, start, true)) {
      cursor.at++;
      break;
    } else if (cursor.atEnd || isOutdented(cursor, start, false)) failUnclosed(cursor, start, '"}"');
    else entries.push(parseEntry(cursor));
  }
  return { kind: 'object', entries, start, end: leaveBrackets(cursor, outer) };
}

function parseEntry(cursor: Cursor): ObjectEntry {
  const key = parseExpression(cursor);
  if (!cursor.lost) cursor.skip();
  if (cursor.lost) return { key, value: nothing(key.end), start: key.start, end: key.end };
  const code = cursor.code();
  if (code !== COLON && (code !== EQUALS || cursor.code(1) === EQUALS)) {
    cursor.fail(
      'syntax-missing-separator',
      cursor.here(),
      `Expected "=" after the key but found ${cursor.found()}`,
      'Write "key = value"; a key that is not a plain name is quoted or put in parentheses.',
    );
    return { key, value: nothing(key.end), start: key.start, end: key.end };
  }
  cursor.at++;
  cursor.skip();
  const value = parseExpression(cursor);
  const entry = { key, value, start: key.start, end: value.end };
  if (cursor.lost) return entry;
  cursor.skip();
  if (cursor.code() !== COMMA && cursor.code() !== CLOSE_BRACE) passNestedQuotes(cursor, value.start);
  if (cursor.code() === COMMA) cursor.at++;
  else if (cursor.atLineBreak()) cursor.skipLineBreak();
  else if (cursor.code() !== CLOSE_BRACE && !cursor.atEnd)
    cursor.fail(
      'syntax-missing-separator',
      cursor.here(),
      `Expected a line break or "," between the entries but found ${cursor.found()}`,
      'Write every entry on its own line, or a comma between two on one line.',
    );
  return entry;
}

/** Reads elements with commas between them, each by `read` into `into`, and the closing character. */
function parseElements<Into>(
  cursor: Cursor,
  start: number,
  close: number,
  closing: string,
  read: (cursor: Cursor, into: Into) => void,
  into: Into,
): void {
  for (;;) {
    if (cursor.lost && !resumeInside(cursor, start)) return;
    cursor.skip();
    if (cursor.code() === close) {
      cursor.at++;
      return;
    }
    if (cursor.atEnd) {
      failUnclosed(cursor, start, closing);
      return;
    }
    const element = cursor.at;
    read(cursor, into);
    if (cursor.lost) continue;
    cursor.skip();
    if (cursor.code() !== COMMA && cursor.code() !== close) passNestedQuotes(cursor, element);
    if (cursor.code() === COMMA) cursor.at++;
    else if (cursor.code() !== close && cursor.atEnd) failUnclosed(cursor, start, closing);
    else if (cursor.code() !== close)
      cursor.fail(
        'syntax-missing-separator',
        cursor.here(),
        `Expected "," or ${closing} but found ${cursor.found()}`,
        `Put a comma between two elements, and ${closing} after the last one.`,
      );
  }
}

/** After a value that is followed by neither its end nor another one: double quotes within it are one mistake. */
function passNestedQuotes(cursor: Cursor, start: number): void {
  const line = cursor.lineEnd(start);
  if (cursor.at > line) return;
  const found = nestedQuotes(cursor.text, start, cursor.at, line);
  if (found === undefined) return;
  cursor.reportMistake(found);
  cursor.at = found.end;
  cursor.skip();
}
