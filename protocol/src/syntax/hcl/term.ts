import type { Expression, Name } from '../tree.ts';
import { parseOperand } from './access.ts';
import {
  CLOSE_PARENTHESIS,
  COLON,
  EXCLAMATION,
  isDigit,
  LESS,
  MINUS,
  OPEN_BRACE,
  OPEN_BRACKET,
  OPEN_PARENTHESIS,
  QUOTE,
} from './characters.ts';
import { parseArguments, parseList, parseObject } from './collection.ts';
import type { Cursor } from './cursor.ts';
import { nothing, parseExpression } from './expression.ts';
import { parseHeredoc } from './heredoc.ts';
import { parseNumber } from './number.ts';
import { parseForeignQuoted, parseQuoted } from './quoted.ts';

/**
 * Reads what operators and accesses apply to, recognised by its first character. Where it is missing, that is a
 * problem.
 */
export function parseTerm(cursor: Cursor): Expression {
  const start = cursor.at;
  const code = cursor.code();
  if (code === QUOTE) return parseQuoted(cursor);
  if (isDigit(code)) return parseNumber(cursor);
  if (code === OPEN_BRACKET) return parseList(cursor);
  if (code === OPEN_BRACE) return parseObject(cursor);
  if (code === OPEN_PARENTHESIS) return parseParenthesized(cursor);
  if (code === LESS && cursor.code(1) === LESS) return parseHeredoc(cursor);
  if (code === MINUS || code === EXCLAMATION) return parseUnary(cursor, code === MINUS ? '-' : '!');
  const name = cursor.identifier();
  if (name !== undefined) return parseNamed(cursor, name, start);
  const quoted = parseForeignQuoted(cursor);
  if (quoted !== undefined) return quoted;
  failMissingExpression(cursor);
  return nothing(cursor.lastEnd);
}

/** What begins with a name: a variable, a call, or one of the three words that are values. */
function parseNamed(cursor: Cursor, text: string, start: number): Expression {
  const end = cursor.at;
  cursor.skip();
  const code = cursor.code();
  if (code === OPEN_PARENTHESIS || (code === COLON && cursor.code(1) === COLON))
    return parseCall(cursor, { text, start, end });
  cursor.at = end;
  if (text === 'true' || text === 'false') return { kind: 'boolean', value: text === 'true', start, end };
  return text === 'null' ? { kind: 'null', start, end } : { kind: 'variable', name: text, start, end };
}

function parseCall(cursor: Cursor, first: Name): Expression {
  const { start } = first;
  let name = first;
  while (cursor.code() === COLON && cursor.code(1) === COLON) {
    cursor.at += 2;
    cursor.skip();
    const part = cursor.identifier();
    name = { text: `${name.text}::${part ?? ''}`, start, end: cursor.lastEnd };
    if (part === undefined)
      cursor.fail('syntax-bad-call', cursor.here(), 'A name is missing after "::"', 'Write the name of the function.');
    if (cursor.lost) break;
    cursor.skip();
  }
  if (!cursor.lost && cursor.code() !== OPEN_PARENTHESIS)
    cursor.fail(
      'syntax-bad-call',
      cursor.here(),
      `Expected "(" but found ${cursor.found()}`,
      'A name with "::" is a function: write its arguments in parentheses.',
    );
  if (cursor.lost) return { kind: 'call', name, arguments: [], expandLast: false, start, end: name.end };
  const { list, expandLast, end } = parseArguments(cursor);
  return { kind: 'call', name, arguments: list, expandLast, start, end };
}

function parseUnary(cursor: Cursor, operator: '-' | '!'): Expression {
  const start = cursor.at++;
  if (!cursor.enter()) return nothing(cursor.lastEnd);
  cursor.skip();
  const operand = parseOperand(cursor);
  cursor.leave();
  return { kind: 'unary', operator, operand, start, end: operand.end };
}

function parseParenthesized(cursor: Cursor): Expression {
  const start = cursor.at++;
  const outer = cursor.lineBreaksEnd;
  cursor.lineBreaksEnd = false;
  cursor.open++;
  cursor.skip();
  const expression = parseExpression(cursor);
  if (!cursor.lost) cursor.skip();
  if (!cursor.lost && cursor.code() !== CLOSE_PARENTHESIS)
    cursor.fail(
      'syntax-unclosed-bracket',
      { start, end: start + 1 },
      `This "(" is never closed; found ${cursor.found()} instead`,
      'Write ")" after the expression.',
    );
  if (!cursor.lost) {
    cursor.at++;
    cursor.open--;
  }
  cursor.lineBreaksEnd = outer;
  return { kind: 'parenthesized', expression, start, end: cursor.lost ? expression.end : cursor.at };
}

function failMissingExpression(cursor: Cursor): void {
  const place = cursor.here();
  if (place.start === place.end)
    cursor.fail(
      'syntax-missing-value',
      place,
      'A value is missing here',
      'Write a value, such as a quoted text or a number.',
    );
  else if ("'`".includes(cursor.text.charAt(place.start)))
    cursor.fail('syntax-bad-expression', place, `${cursor.found()} starts no text`, 'Write text in double quotes.');
  else if (cursor.text.startsWith('${', place.start))
    cursor.fail(
      'syntax-bad-expression',
      place,
      '"${" is written outside of a text',
      'Write it in double quotes: "${…}".',
    );
  else
    cursor.fail(
      'syntax-bad-expression',
      place,
      `${cursor.found()} starts no value`,
      'Write a value: a text in double quotes, a number, true, false, a list or an object.',
    );
}
