import type { NumberLiteral } from '../tree.ts';
import { DOT, isDigit, MINUS, PLUS } from './characters.ts';

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
