import type { BinaryOperator, Expression, InvalidExpression } from '../tree.ts';
import { atExpressionEnd, parseOperand } from './access.ts';
import {
  COLON,
  EQUALS,
  EXCLAMATION,
  GREATER,
  LESS,
  MINUS,
  PERCENT,
  PLUS,
  QUESTION,
  SLASH,
  STAR,
} from './characters.ts';
import type { Cursor } from './cursor.ts';

const PRECEDENCE: Readonly<Record<BinaryOperator, number>> = {
  '||': 1,
  '&&': 2,
  '==': 3,
  '!=': 3,
  '<': 4,
  '>': 4,
  '<=': 4,
  '>=': 4,
  '+': 5,
  '-': 5,
  '*': 6,
  '/': 6,
  '%': 6,
};

/** Reads an expression. What cannot be read of it becomes `invalid`, inside what could be. */
export function parseExpression(cursor: Cursor): Expression {
  if (!cursor.enter()) return nothing(cursor.lastEnd);
  const condition = parseOperation(cursor, 0);
  const result = cursor.lost || atExpressionEnd(cursor) ? condition : parseConditional(cursor, condition);
  cursor.leave();
  return result;
}

function parseConditional(cursor: Cursor, condition: Expression): Expression {
  const before = cursor.at;
  cursor.skip();
  if (cursor.code() !== QUESTION) {
    cursor.at = before;
    return condition;
  }
  cursor.at++;
  cursor.skip();
  const { start } = condition;
  const then = parseExpression(cursor);
  if (!cursor.lost) cursor.skip();
  if (!cursor.lost && cursor.code() !== COLON)
    cursor.fail(
      'syntax-missing-colon',
      cursor.here(),
      `Expected ":" of the conditional but found ${cursor.found()}`,
      'Write "condition ? value : otherwise".',
    );
  if (cursor.lost) return { kind: 'conditional', condition, then, otherwise: nothing(then.end), start, end: then.end };
  cursor.at++;
  cursor.skip();
  const otherwise = parseExpression(cursor);
  return { kind: 'conditional', condition, then, otherwise, start, end: otherwise.end };
}

/** Operators that bind more strongly than `minimum`. */
function parseOperation(cursor: Cursor, minimum: number): Expression {
  let left = parseOperand(cursor);
  while (!cursor.lost && !atExpressionEnd(cursor)) {
    const before = cursor.at;
    cursor.skip();
    const operator = operatorAt(cursor);
    if (operator === undefined || PRECEDENCE[operator] <= minimum) {
      cursor.at = before;
      return left;
    }
    cursor.at += operator.length;
    cursor.links++;
    cursor.skip();
    const right = parseOperation(cursor, PRECEDENCE[operator]);
    left = { kind: 'binary', operator, left, right, start: left.start, end: right.end };
  }
  return left;
}

function operatorAt(cursor: Cursor): BinaryOperator | undefined {
  const code = cursor.code();
  switch (code) {
    case PLUS:
      return '+';
    case MINUS:
      return '-';
    case STAR:
      return '*';
    case SLASH:
      return '/';
    case PERCENT:
      return '%';
    case LESS:
      return cursor.code(1) === EQUALS ? '<=' : '<';
    case GREATER:
      return cursor.code(1) === EQUALS ? '>=' : '>';
    case EQUALS:
      return cursor.code(1) === EQUALS ? '==' : undefined;
    case EXCLAMATION:
      return cursor.code(1) === EQUALS ? '!=' : undefined;
  }
  if (cursor.text.startsWith('&&', cursor.at)) return '&&';
  return cursor.text.startsWith('||', cursor.at) ? '||' : undefined;
}

/** Represents a missing expression. */
export function nothing(at: number): InvalidExpression {
  return { kind: 'invalid', start: at, end: at };
}
