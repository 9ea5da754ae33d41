import { exponential, numberText, printed } from './printing.ts';
import { isNumber, Markup } from './values.ts';

const directive = /%(?<flags>[-+# 0]*)(?<width>\*|\d{0,6})(?:\.(?<precision>\*|\d{0,6}))?(?<verb>.)/gsu;
/** Digits and blanks that a directive may ask for. */
const widest = 1000;

interface Form {
  readonly flags: string;
  readonly width: number | undefined;
  readonly precision: number | undefined;
  readonly verb: string;
}

/** Texts by a format (Go, package fmt). What is wrong is written in the text, as in Go: `%!d(string=a)`. */
export function sprintf(format: string, given: readonly unknown[]): string {
  let at = 0;
  const count = (written: string | undefined) => {
    if (written === undefined) return undefined;
    return Math.min(widest, Math.abs(Number(written === '*' ? (given[at++] ?? 0) : written)) || 0);
  };
  const text = format.replaceAll(directive, (...found) => {
    const { flags = '', width, precision, verb = '' } = found.at(-1) as Record<string, string | undefined>;
    if (verb === '%') return '%';
    const form: Form = { flags, width: width === '' ? undefined : count(width), precision: count(precision), verb };
    if (at >= given.length) return `%!${verb}(MISSING)`;
    return padded(formatted(given[at++], form), form);
  });
  const further = given.slice(at).map((value) => `${typeName(value)}=${printed(value)}`);
  return further.length === 0 ? text : `${text}%!(EXTRA ${further.join(', ')})`;
}

function padded(text: string, { flags, width, verb }: Form): string {
  const length = [...text].length;
  if (width === undefined || length >= width) return text;
  const fill = width - length;
  if (flags.includes('-')) return text + ' '.repeat(fill);
  if (!flags.includes('0') || !/[dfFeEgGxXobc]/.test(verb)) return ' '.repeat(fill) + text;
  const [sign = ''] = /^[+-]?/.exec(text) ?? [];
  return sign + '0'.repeat(fill) + text.slice(sign.length);
}

function formatted(value: unknown, { flags, precision, verb }: Form): string {
  const wrong = () => `%!${verb}(${typeName(value)}=${printed(value)})`;
  const signed = (text: string) =>
    text.startsWith('-') ? text : flags.includes('+') ? `+${text}` : flags.includes(' ') ? ` ${text}` : text;
  switch (verb) {
    case 'v':
      return isNumber(value) ? signed(printed(value)) : printed(value);
    case 's': {
      const text = printed(value);
      return precision === undefined ? text : [...text].slice(0, precision).join('');
    }
    case 'q':
      return JSON.stringify(printed(value));
    case 't':
      return typeof value === 'boolean' ? String(value) : wrong();
    case 'T':
      return typeName(value);
  }
  if (typeof value === 'string' || value instanceof Markup) {
    if (verb !== 'x' && verb !== 'X') return wrong();
    const hexadecimal = Buffer.from(printed(value)).toString('hex');
    return verb === 'x' ? hexadecimal : hexadecimal.toUpperCase();
  }
  if (!isNumber(value)) return wrong();
  const bases: Readonly<Record<string, number>> = { d: 10, x: 16, X: 16, o: 8, b: 2 };
  const base = Object.hasOwn(bases, verb) ? bases[verb] : undefined;
  if (base !== undefined) {
    if (typeof value === 'number' && !Number.isInteger(value)) return wrong();
    const digits = BigInt(value).toString(base);
    return signed(verb === 'X' ? digits.toUpperCase() : digits);
  }
  const number = Number(value);
  switch (verb) {
    case 'f':
    case 'F':
      return signed(fixed(value, Math.min(100, precision ?? 6)));
    case 'e':
    case 'E': {
      const text = exponential(number.toExponential(Math.min(100, precision ?? 6)));
      return signed(verb === 'E' ? text.toUpperCase() : text);
    }
    case 'g':
    case 'G':
      return signed(
        numberText(precision === undefined ? number : Number(number.toPrecision(Math.min(100, precision || 1)))),
      );
    case 'c':
      return number >= 0 && number <= 0x10ffff && Number.isInteger(number) ? String.fromCodePoint(number) : '\ufffd';
    default:
      return wrong();
  }
}

/** `toFixed` writes large numbers with an exponent. */
function fixed(value: number | bigint, digits: number): string {
  if (typeof value === 'bigint' || (Number.isInteger(value) && Math.abs(value) >= 1e21))
    return `${BigInt(value)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`;
  return Number.isFinite(value) ? value.toFixed(digits) : numberText(value);
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return '<nil>';
  if (typeof value === 'string' || value instanceof Markup) return 'string';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint' || Number.isInteger(value)) return 'int';
  if (typeof value === 'number') return 'float64';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
