import type { Range } from '../../text/index.ts';
import type { Expression, Name, NumberLiteral, SplatExpression, SplatStar } from '../tree.ts';
import {
  CLOSE_BRACE,
  CLOSE_BRACKET,
  CLOSE_PARENTHESIS,
  COMMA,
  DOT,
  isDigit,
  NEWLINE,
  OPEN_BRACKET,
  STAR,
} from './characters.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseNumber } from './number.ts';
import { parseTerm } from './term.ts';

/** Whether the next character ends whatever expression precedes it: a cheap answer to the most frequent case. */
export function atExpressionEnd(cursor: Cursor): boolean {
  const code = cursor.text.charCodeAt(cursor.at);
  if (code === NEWLINE) return cursor.lineBreaksEnd;
  return code === COMMA || code === CLOSE_PARENTHESIS || code === CLOSE_BRACKET || code === CLOSE_BRACE;
}

/** Reads a term with the accesses that follow it. */
export function parseOperand(cursor: Cursor): Expression {
  let target = parseTerm(cursor);
  while (!cursor.lost && !atExpressionEnd(cursor)) {
    const before = cursor.at;
    cursor.skip();
    const code = cursor.code();
    if (code === DOT && cursor.code(1) !== DOT) target = parseDotAccess(cursor, target);
    else if (code === OPEN_BRACKET) target = parseBracketAccess(cursor, target);
    else {
      cursor.at = before;
      return target;
    }
    cursor.links++;
  }
  return target;
}

function parseDotAccess(cursor: Cursor, target: Expression): Expression {
  const { start } = target;
  const dot = cursor.at++;
  cursor.skip();
  const at = cursor.at;
  if (cursor.code() === STAR) {
    cursor.at++;
    return parseAttributeSplat(cursor, target);
  }
  if (isDigit(cursor.code())) {
    const key = parseLegacyIndex(cursor);
    return { kind: 'index', target, key, legacy: true, start, end: key.end };
  }
  const text = cursor.identifier();
  if (text !== undefined)
    return { kind: 'attribute-access', target, name: { text, start: at, end: cursor.at }, start, end: cursor.at };
  failMissingName(cursor, dot);
  return { kind: 'attribute-access', target, name: { text: '', start: dot + 1, end: dot + 1 }, start, end: dot + 1 };
}

function failMissingName(cursor: Cursor, dot: number): void {
  cursor.fail(
    'syntax-missing-name',
    { start: dot, end: dot + 1 },
    'A name is missing after the dot',
    'Write the name of the attribute, or remove the dot.',
  );
}

/** The number after a dot. `x.0.1` cannot be distinguished from the number 0.1, so HCL requires brackets there. */
function parseLegacyIndex(cursor: Cursor): NumberLiteral {
  const index = parseNumber(cursor);
  if (!cursor.lost && index.source.includes('.')) {
    const keys = index.source.split('.').map((digits) => `[${digits}]`);
    const help = `Write "${keys.join('')}" instead.`;
    cursor.fail('syntax-bad-index', index, 'Two indexes may not follow each other with dots', help);
  }
  return index;
}

/** `target[key]` or `target[*]`. */
function parseBracketAccess(cursor: Cursor, target: Expression): Expression {
  const { start } = target;
  const opening = cursor.at++;
  const outer = cursor.lineBreaksEnd;
  cursor.open++;
  cursor.skip();
  let key: Expression | undefined;
  if (cursor.code() === STAR) cursor.at++;
  else {
    // Only the key of an index may be on lines of its own; a star may not.
    cursor.lineBreaksEnd = false;
    cursor.skip();
    key = parseExpression(cursor);
  }
  if (!cursor.lost) cursor.skip();
  cursor.lineBreaksEnd = outer;
  if (!cursor.lost && cursor.code() !== CLOSE_BRACKET)
    cursor.fail(
      'syntax-unclosed-bracket',
      { start: opening, end: opening + 1 },
      'This "[" is never closed',
      'Write "]" after the index.',
    );
  if (!cursor.lost) {
    cursor.at++;
    cursor.open--;
  }
  const end = cursor.lost ? (key?.end ?? cursor.lastEnd) : cursor.at;
  if (key !== undefined) return { kind: 'index', target, key, legacy: false, start, end };
  return cursor.lost ? { kind: 'splat', target, form: 'full', each: [], start, end } : parseFullSplat(cursor, target);
}

/** After `.*`: takes in attributes and legacy indexes only. */
function parseAttributeSplat(cursor: Cursor, target: Expression): SplatExpression {
  const each: (Name | Expression)[] = [];
  while (!cursor.lost) {
    const before = cursor.at;
    cursor.skip();
    if (cursor.code() !== DOT || cursor.code(1) === DOT) {
      cursor.at = before;
      break;
    }
    const dot = cursor.at++;
    cursor.skip();
    const start = cursor.at;
    if (isDigit(cursor.code())) each.push(parseLegacyIndex(cursor));
    else {
      const text = cursor.identifier();
      if (text === undefined) failMissingName(cursor, dot);
      else each.push({ text, start, end: cursor.at });
    }
  }
  return { kind: 'splat', target, form: 'attribute-only', each, start: target.start, end: cursor.lastEnd };
}

/** After `[*]`: takes in every access that follows. */
function parseFullSplat(cursor: Cursor, target: Expression): SplatExpression {
  const each: (Name | Expression | SplatStar)[] = [];
  const { start } = target;
  let end = cursor.at;
  if (!cursor.enter()) return { kind: 'splat', target, form: 'full', each, start, end };
  // The accesses are read around a stand-in for the element, and taken off it again.
  let whole: Expression = { kind: 'invalid', start: end, end };
  while (!cursor.lost) {
    const before = cursor.at;
    cursor.skip();
    const code = cursor.code();
    if (code === DOT && cursor.code(1) !== DOT) whole = parseDotAccess(cursor, whole);
    else if (code === OPEN_BRACKET) whole = parseBracketAccess(cursor, whole);
    else {
      cursor.at = before;
      break;
    }
    cursor.links++;
    each.push(...stepsOf(whole));
    end = whole.end;
    whole = { kind: 'invalid', start: end, end };
  }
  cursor.leave();
  return { kind: 'splat', target, form: 'full', each, start, end };
}

function stepsOf(access: Expression): readonly (Name | Expression | SplatStar)[] {
  if (access.kind === 'attribute-access') return [access.name];
  if (access.kind === 'index') return [access.key];
  if (access.kind !== 'splat') return [];
  const star: Range = { start: access.target.end, end: access.each[0]?.start ?? access.end };
  return [{ kind: 'star', ...star }, ...access.each];
}
