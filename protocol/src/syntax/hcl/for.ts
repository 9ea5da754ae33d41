import type { Expression, ForExpression, Name } from '../tree.ts';
import { leaveBrackets } from './brackets.ts';
import { CLOSE_BRACE, CLOSE_BRACKET, COLON, COMMA, DOT, EQUALS, GREATER, identifierEnd } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { nothing, parseExpression } from './expression.ts';

/** Whether the word `for` comes next, on this line or below. */
export function startsFor(cursor: Cursor): boolean {
  cursor.skip();
  return cursor.text.startsWith('for', cursor.at) && identifierEnd(cursor.text, cursor.at) === cursor.at + 3;
}

/** Reads from the word `for` to the bracket that closes what opened at `start`. */
export function parseFor(cursor: Cursor, start: number, form: 'list' | 'object', outer: boolean): ForExpression {
  cursor.at += 3;
  cursor.skip();
  const names = parseLoopNames(cursor);
  const collection = nextExpression(cursor);
  expect(cursor, COLON, '":"', 'Write "for name in collection : value".');
  let value = nextExpression(cursor);
  let key: Expression | undefined;
  let grouped = false;
  let condition: Expression | undefined;
  if (!cursor.lost && cursor.code() === EQUALS && cursor.code(1) === GREATER) {
    if (form === 'list')
      cursor.fail(
        'syntax-bad-for',
        cursor.here(),
        'A list has no keys',
        'Write "{" and "}" around it to build an object.',
      );
    else cursor.at += 2;
    key = value;
    value = nextExpression(cursor);
  } else if (form === 'object')
    cursor.fail(
      'syntax-bad-for',
      cursor.here(),
      'The key of an object is missing',
      'Write "for name in collection : key => value".',
    );
  if (!cursor.lost && cursor.code() === DOT && cursor.text.startsWith('...', cursor.at)) {
    if (form === 'list')
      cursor.fail('syntax-bad-for', cursor.here(), 'Only objects group values of equal keys', 'Leave "..." out.');
    else cursor.at += 3;
    grouped = true;
    cursor.skip();
  }
  if (
    !cursor.lost &&
    cursor.text.startsWith('if', cursor.at) &&
    identifierEnd(cursor.text, cursor.at) === cursor.at + 2
  ) {
    cursor.at += 2;
    condition = nextExpression(cursor);
  }
  if (form === 'list') expect(cursor, CLOSE_BRACKET, '"]"', 'Write "]" after the value or its condition.');
  else expect(cursor, CLOSE_BRACE, '"}"', 'Write "}" after the value or its condition.');
  const end = leaveBrackets(cursor, outer);
  return { kind: 'for', form, ...loopOf(names), collection, key, value, grouped, condition, start, end };
}

/** Reads `value in` or `key, value in`, after `for`. */
export function parseLoopNames(cursor: Cursor): { readonly key: Name | undefined; readonly value: Name } {
  const first = parseLoopName(cursor);
  cursor.skip();
  let second: Name | undefined;
  if (!cursor.lost && cursor.code() === COMMA) {
    cursor.at++;
    cursor.skip();
    second = parseLoopName(cursor);
    cursor.skip();
  }
  const word = cursor.here();
  if (!cursor.lost && cursor.identifier() !== 'in')
    cursor.fail('syntax-bad-for', word, 'The word "in" is missing', 'Write "for name in collection".');
  if (!cursor.lost) cursor.skip();
  return second === undefined ? { key: undefined, value: first } : { key: first, value: second };
}

function parseLoopName(cursor: Cursor): Name {
  const start = cursor.at;
  const text = cursor.identifier();
  if (text !== undefined) return { text, start, end: cursor.at };
  cursor.fail(
    'syntax-bad-for',
    cursor.here(),
    `Expected a name after "for" but found ${cursor.found()}`,
    'Write "for name in collection" or "for key, value in collection".',
  );
  return { text: '', start: cursor.lastEnd, end: cursor.lastEnd };
}

/** The next expression with the white space around it. */
function nextExpression(cursor: Cursor): Expression {
  if (cursor.lost) return nothing(cursor.lastEnd);
  cursor.skip();
  const expression = parseExpression(cursor);
  if (!cursor.lost) cursor.skip();
  return expression;
}

function expect(cursor: Cursor, code: number, character: string, help: string): void {
  if (cursor.lost) return;
  if (cursor.code() === code) cursor.at++;
  else cursor.fail('syntax-bad-for', cursor.here(), `Expected ${character} but found ${cursor.found()}`, help);
}

function loopOf(names: { readonly key: Name | undefined; readonly value: Name }) {
  return { keyName: names.key, valueName: names.value };
}
