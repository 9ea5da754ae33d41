import { htmlText } from '../html/escapers.ts';
import { areEqual, isLess } from './comparison.ts';
import { sprintf } from './printf.ts';
import { printed } from './printing.ts';
import { fieldOf, isMap, isNumber, isTrue, kindOf, Markup } from './values.ts';

/** A function of templates. Throws an Error whose message is for people. */
export interface TemplateFunction {
  readonly least: number;
  readonly most: number;
  readonly call: (given: readonly unknown[]) => unknown;
}

const any = Number.POSITIVE_INFINITY;
const define = (least: number, most: number, call: TemplateFunction['call']): TemplateFunction => ({
  least,
  most,
  call,
});

/**
 * What Go has, and `raw`. `and` and `or` evaluate no more arguments than they need, so that the compiler knows them; `call`
 * needs functions among the data, where there are no functions.
 */
export const functions: ReadonlyMap<string, TemplateFunction> = new Map([
  ['not', define(1, 1, ([value]) => !isTrue(value))],
  ['eq', define(2, any, ([first, ...others]) => others.some((other) => areEqual(first, other)))],
  ['ne', define(2, 2, ([a, b]) => !areEqual(a, b))],
  ['lt', define(2, 2, ([a, b]) => isLess(a, b))],
  ['le', define(2, 2, ([a, b]) => !isLess(b, a))],
  ['gt', define(2, 2, ([a, b]) => isLess(b, a))],
  ['ge', define(2, 2, ([a, b]) => !isLess(a, b))],
  ['len', define(1, 1, ([value]) => lengthOf(value))],
  ['index', define(1, any, ([value, ...keys]) => keys.reduce(elementOf, value))],
  ['slice', define(1, 3, ([value, ...bounds]) => sliceOf(value, bounds))],
  ['print', define(0, any, print)],
  ['println', define(0, any, (given) => `${given.map(argumentText).join(' ')}\n`)],
  ['printf', define(1, any, ([format, ...given]) => sprintf(printed(format), given))],
  ['html', define(0, any, (given) => new Markup(htmlText(print(given))))],
  ['urlquery', define(0, any, (given) => encodeURIComponent(print(given).toWellFormed()).replaceAll('%20', '+'))],
  ['js', define(0, any, (given) => scriptText(print(given)))],
  ['raw', define(1, 1, ([value]) => new Markup(printed(value)))],
]);

function argumentText(value: unknown): string {
  return value === null ? '<nil>' : printed(value);
}

/** As Go: a blank is set between two of which neither is a text. */
function print(given: readonly unknown[]): string {
  let text = '';
  given.forEach((value, at) => {
    if (at > 0 && typeof value !== 'string' && typeof given[at - 1] !== 'string') text += ' ';
    text += argumentText(value);
  });
  return text;
}

/** Of a text its bytes in UTF-8, as in Go. */
function lengthOf(value: unknown): number {
  if (typeof value === 'string') return Buffer.byteLength(value);
  if (Array.isArray(value)) return value.length;
  if (isMap(value)) return Object.keys(value).length;
  throw new Error(`len: ${kindOf(value)} has no length`);
}

function elementOf(value: unknown, key: unknown): unknown {
  if (Array.isArray(value)) {
    const at = isNumber(key) ? Number(key) : Number.NaN;
    if (!Number.isInteger(at) || at < 0 || at >= value.length)
      throw new Error(`index: ${printed(key)} is not in a list of ${value.length}`);
    return value[at] ?? null;
  }
  if (isMap(value)) return fieldOf(value, printed(key));
  throw new Error(`index: ${kindOf(value)} has no elements`);
}

function sliceOf(value: unknown, bounds: readonly unknown[]): unknown {
  const source = typeof value === 'string' ? Buffer.from(value) : value;
  if (!Array.isArray(source) && !Buffer.isBuffer(source)) throw new Error(`slice: ${kindOf(value)} cannot be cut`);
  const [start = 0, end = source.length] = bounds.map(Number);
  if (!(start >= 0 && start <= end && end <= source.length))
    throw new Error(`slice: ${start} to ${end} is not in ${source.length}`);
  return Buffer.isBuffer(source) ? source.subarray(start, end).toString() : source.slice(start, end);
}

function scriptText(text: string): string {
  return text.replaceAll(
    /[\\'"<>&=\u0000-\u001f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}`,
  );
}
