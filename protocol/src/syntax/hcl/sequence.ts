import { CLOSE_BRACE, DOLLAR, OPEN_BRACE, TILDE } from './characters.ts';
import type { Cursor } from './cursor.ts';
import { parseExpression } from './expression.ts';
import { parseLoopNames } from './for.ts';
import type { SequencePiece } from './pieces.ts';

/** Reads `${…}` or `%{…}`. */
export function parseSequence(cursor: Cursor): SequencePiece {
  const start = cursor.at;
  const interpolation = cursor.code() === DOLLAR;
  cursor.at += 2;
  const trimBefore = cursor.code() === TILDE;
  if (trimBefore) cursor.at++;
  const outer = cursor.lineBreaksEnd;
  cursor.lineBreaksEnd = false;
  cursor.open++;
  cursor.skip();
  const content = interpolation
    ? ({ kind: 'interpolation', expression: parseExpression(cursor), key: undefined, value: undefined } as const)
    : parseDirective(cursor);
  if (!cursor.lost) cursor.skip();
  const trimAfter = !cursor.lost && cursor.code() === TILDE && cursor.code(1) === CLOSE_BRACE;
  if (trimAfter) cursor.at++;
  if (!cursor.lost && cursor.code() !== CLOSE_BRACE)
    cursor.fail(
      'syntax-unclosed-template',
      cursor.here(),
      `Expected "}" but found ${cursor.found()}`,
      `Close what "\${" or "%{" opened with "}".`,
    );
  if (!cursor.lost) {
    cursor.at++;
    cursor.open--;
  }
  cursor.lineBreaksEnd = outer;
  const end = cursor.lost ? Math.max(content.expression?.end ?? 0, cursor.lastEnd) : cursor.at;
  return { ...content, trimBefore, trimAfter, start, end };
}

function parseDirective(cursor: Cursor): Pick<SequencePiece, 'kind' | 'expression' | 'key' | 'value'> {
  const start = cursor.at;
  const word = cursor.identifier();
  cursor.skip();
  if (word === 'else' || word === 'endif' || word === 'endfor')
    return { kind: word, expression: undefined, key: undefined, value: undefined };
  if (word === 'if') return { kind: 'if', expression: parseExpression(cursor), key: undefined, value: undefined };
  if (word === 'for') {
    const { key, value } = parseLoopNames(cursor);
    return { kind: 'for', expression: cursor.lost ? undefined : parseExpression(cursor), key, value };
  }
  cursor.fail(
    'syntax-unknown-directive',
    { start, end: Math.max(cursor.lastEnd, start) },
    word === undefined ? 'A directive is missing after "%{"' : `There is no directive "${word}"`,
    'Write if, else, endif, for or endfor after "%{"; a plain "%{" is written "%%{".',
  );
  return { kind: 'else', expression: undefined, key: undefined, value: undefined };
}

/** `$` or `%` that opens nothing: itself, or the `${` of an escaped `$${`. */
export function readIntroducer(cursor: Cursor, code: number): string {
  if (cursor.code(1) === code && cursor.code(2) === OPEN_BRACE) {
    cursor.at += 3;
    return code === DOLLAR ? '${' : '%{';
  }
  cursor.at++;
  return code === DOLLAR ? '$' : '%';
}
