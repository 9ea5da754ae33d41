import type { NumberLiteral } from '../tree.ts';
import { DOT, identifierEnd, isDigit, MINUS, PLUS } from './characters.ts';
import type { Cursor } from './cursor.ts';

const NUMBER = /^\d+(\.\d*)?([eE][+-]?\d+)?$/;
const FRACTION_OR_EXPONENT = /[.eE]/;

/**
 * The end of what HCL takes for a number: digits, dots and exponents, but no dot at the end. That can be no number at
 * all, such as `1.2.3`; see `isNumber`.
 */
export function numberEnd(text: string, start: number): number {
  let end = start;
  for (let at = start; ; ) {
    const code = text.charCodeAt(at);
    if (isDigit(code)) end = ++at;
    else if (code === DOT) at++;
    else if (code === 69 || code === 101) {
      const sign = text.charCodeAt(at + 1);
      const digit = sign === PLUS || sign === MINUS ? at + 2 : at + 1;
      if (!isDigit(text.charCodeAt(digit))) return end;
      end = at = digit + 1;
    } else return end;
  }
}

/** Whether the source is a number that a double can hold. */
export function isNumber(source: string): boolean {
  return NUMBER.test(source) && Number.isFinite(Number(source));
}

export function numberLiteral(source: string, start: number): NumberLiteral {
  const integer = !FRACTION_OR_EXPONENT.test(source);
  return { kind: 'number', source, value: Number(source), integer, start, end: start + source.length };
}

/** Reads what begins with a digit. */
export function parseNumber(cursor: Cursor): NumberLiteral {
  const start = cursor.at;
  const end = numberEnd(cursor.text, start);
  cursor.at = end;
  const suffix = identifierEnd(cursor.text, end);
  const source = cursor.text.slice(start, end);
  if (suffix > end || !isNumber(source)) {
    const written = cursor.text.slice(start, suffix);
    cursor.fail(
      'syntax-bad-number',
      { start, end: suffix },
      `"${written}" is not a number`,
      `Write it in quotes, as in "${written}", or leave out what does not belong to the number.`,
    );
  }
  return numberLiteral(source, start);
}
