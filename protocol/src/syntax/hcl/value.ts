import { childrenOf } from '../children.ts';
import type { Expression } from '../tree.ts';
import { type Cursor, MAX_DEPTH } from './cursor.ts';
import { parseExpression } from './expression.ts';

/** Chains of operators and accesses up to this many need no look at how deep a tree they make. */
const HARMLESS_LINKS = 250;
const DEEPEST_VALUE = 4 * MAX_DEPTH;

/** One expression that is the whole text. */
export function parseWholeExpression(cursor: Cursor): Expression {
  cursor.lineBreaksEnd = false;
  cursor.skip();
  const expression = parseValue(cursor);
  if (!cursor.lost) cursor.skip();
  if (!cursor.lost && !cursor.atEnd)
    cursor.fail(
      'syntax-missing-newline',
      cursor.here(),
      `Nothing may follow the value, but ${cursor.found()} does`,
      'Remove it.',
    );
  return expression;
}

/** One expression, which is not deeper than what reads its tree can go. */
export function parseValue(cursor: Cursor): Expression {
  cursor.links = 0;
  return checkedDepth(cursor, parseExpression(cursor));
}

/** A chain can be deeper than anything nested is allowed to be, though it is read without recursion. */
function checkedDepth(cursor: Cursor, value: Expression): Expression {
  if (cursor.links <= HARMLESS_LINKS || depthOf(value) <= DEEPEST_VALUE) return value;
  const { start, end } = value;
  cursor.report('syntax-too-deep', { start, end }, 'This value is too deep', 'Write it in several smaller attributes.');
  return { kind: 'invalid', start, end };
}

function depthOf(root: Expression): number {
  let depth = 0;
  for (let level: Expression[] = [root]; level.length > 0; depth++)
    level = level.flatMap((node) => [...childrenOf(node)]);
  return depth;
}
