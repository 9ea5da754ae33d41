/** A part of an expression that has a value. */
export interface ExpressionPart {
  readonly text: string;
  /** From 0 in UTF-16 units. */
  readonly start: number;
  readonly end: number;
}

const path = /[A-Za-z_]\w*(?:\s*\.\s*[A-Za-z_]\w*|\[\s*(?:\d+|'[^'\\\]]*')\s*\])*/g;
const words: ReadonlySet<string> = new Set(['true', 'false', 'null', 'in']);

/**
 * What is read at an offset of an expression: of `input.items[0].name` as much as the pointer is at. Undefined at
 * functions, literals and operators.
 */
export function expressionAt(expression: string, offset: number): ExpressionPart | undefined {
  const withoutTexts = expression.replaceAll(/(?<!\[\s*)'(?:[^'\\]|\\.)*'/g, (text) => ' '.repeat(text.length));
  for (const { 0: found, index: start } of withoutTexts.matchAll(path)) {
    if (offset < start || offset >= start + found.length || words.has(found)) continue;
    const end = segmentEnd(expression, start, start + found.length, offset);
    // What is called is a function, or a method of the value before its dot.
    if (/^\s*\(/.test(expression.slice(end))) return undefined;
    return { text: expression.slice(start, end), start, end };
  }
  return undefined;
}

/** The end of the segment of a path that an offset is in. */
function segmentEnd(expression: string, start: number, end: number, offset: number): number {
  for (const { index } of expression.slice(start, end).matchAll(/[.[]/g))
    if (start + index > offset) return start + index;
  return end;
}
