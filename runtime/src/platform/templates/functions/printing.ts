import { isMap, known, Markup } from './values.ts';

/** Values in values. */
const deepest = 100;

/** What a value is printed as (`%v` of Go): `[1 2]`, `map[a:1 b:2]` with sorted keys, `<no value>` where it is absent. */
export function printed(value: unknown): string {
  return value === null || value === undefined ? '<no value>' : text(value, 0);
}

function text(value: unknown, depth: number): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return numberText(value);
  if (value === null) return '<nil>';
  if (value instanceof Markup) return value.text;
  if (depth > deepest) return '…';
  if (Array.isArray(value)) return `[${value.map((item) => text(known(item), depth + 1)).join(' ')}]`;
  if (!isMap(value)) return String(value);
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${key}:${text(known(value[key]), depth + 1)}`);
  return `map[${entries.join(' ')}]`;
}

/** The shortest digits that are the number; with an exponent below 1e-4 and from 1e21 (strconv, format `g`). */
export function numberText(number: number): string {
  if (Number.isNaN(number)) return 'NaN';
  if (!Number.isFinite(number)) return number > 0 ? '+Inf' : '-Inf';
  if (Object.is(number, -0)) return '-0';
  const size = Math.abs(number);
  return size !== 0 && (size < 1e-4 || size >= 1e21) ? exponential(number.toExponential()) : String(number);
}

/** At least two digits of an exponent, as C and Go write them. */
export function exponential(written: string): string {
  return written.replace(/e([+-])(\d)$/, 'e$10$2');
}
