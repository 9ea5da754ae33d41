import { CelError } from '../engine.ts';
import { kindOf, withArticle } from '../values/kind.ts';
import { lookup, spentKeys } from '../values/map.ts';
import { spend, spendLength } from '../values/meter.ts';
import { timestampOf } from '../values/ordering.ts';
import type { CelTypeValue } from '../values/type-value.ts';
import type { CelUint } from '../values/uint.ts';
import { decodeUtf8, encodeUtf8 } from '../values/utf8.ts';
import { formatDouble } from './double-text.ts';

const mostDigits = 100;

/** Replaces the clauses of a template by values. Throws CelError `invalid-argument`. */
export function format(template: string, values: readonly unknown[]): string {
  let used = 0;
  return template.replace(
    /%(?:%|(?:\.(\d+))?([a-zA-Z])?)/g,
    (clause, precision: string | undefined, letter: string | undefined) => {
      if (clause === '%%') return '%';
      const write = letter === undefined ? undefined : clauses[letter];
      if (!write) throw new CelError('invalid-argument', `${JSON.stringify(clause)} is not a formatting clause`);
      if (used >= values.length)
        throw new CelError('invalid-argument', `${JSON.stringify(clause)} has no value: ${values.length} are given`);
      const digits = precision === undefined ? 6 : Number(precision);
      if (digits > mostDigits)
        throw new CelError('invalid-argument', `${clause} asks for more than ${mostDigits} digits`);
      spend(1);
      return write(values[used++], digits);
    },
  );
}

const clauses: Readonly<Record<string, (value: unknown, digits: number) => string>> = {
  s: plain,
  d: decimal,
  f: (value, digits) => real(value, 'f', (number) => fixed(number, digits)),
  e: (value, digits) => real(value, 'e', (number) => number.toExponential(digits).replace(/e([+-])(\d)$/, 'e$10$2')),
  b: (value) => (typeof value === 'boolean' ? (value ? '1' : '0') : integer(value, 'b').toString(2)),
  o: (value) => integer(value, 'o').toString(8),
  x: hexadecimal,
  X: (value) => hexadecimal(value).toUpperCase(),
};

/** A value as `%s` prints it. */
function plain(value: unknown): string {
  spend(1);
  switch (kindOf(value)) {
    case 'string':
      spendLength((value as string).length);
      return value as string;
    case 'double':
      return Number.isFinite(value) ? formatDouble(value as number) : infinite(value as number);
    case 'null_type':
      return 'null';
    case 'bytes':
      return (
        decodeUtf8(value as Uint8Array) ??
        String.fromCharCode(...(value as Uint8Array).map((byte) => (byte < 128 ? byte : 0xfffd)))
      );
    case 'list':
      return `[${(value as readonly unknown[]).map(plain).join(', ')}]`;
    case 'map':
      return `{${entries(value as object)}}`;
    case 'timestamp':
      return timestampOf(value).toString();
    case 'type':
      return (value as CelTypeValue).name;
    case 'int':
    case 'uint':
    case 'bool':
    case 'duration':
      return String(value);
    default:
      return unsuitable('s', value);
  }
}

function entries(map: object): string {
  return spentKeys(map)
    .map((key): [string, string] => [plain(key), plain(lookup(map, key))])
    .sort(([one], [two]) => (one < two ? -1 : 1))
    .map(([key, value]) => `${key}: ${value}`)
    .join(', ');
}

function decimal(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) return infinite(value);
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value).toString();
  return integer(value, 'd').toString();
}

function real(value: unknown, clause: string, write: (number: number) => string): string {
  const kind = kindOf(value);
  if (kind !== 'double' && kind !== 'int' && kind !== 'uint') return unsuitable(clause, value);
  const number = Number(kind === 'uint' ? (value as CelUint).value : value);
  return Number.isFinite(number) ? write(number) : infinite(number);
}

/** `toFixed` rounds exact halves up; the language rounds them to the even digit. */
function halfToEven(number: number, digits: number): string {
  const exact = number.toFixed(mostDigits);
  const end = exact.length - mostDigits + digits;
  if (digits === mostDigits || !/^50*$/.test(exact.slice(end))) return number.toFixed(digits);
  const cut = exact.slice(0, digits === 0 ? end - 1 : end);
  return /[02468]$/.test(cut) ? cut : number.toFixed(digits);
}

/** Without the exponents that `toFixed` switches to for large numbers. */
function fixed(number: number, digits: number): string {
  if (Math.abs(number) < 1e21) return halfToEven(number, digits);
  return digits === 0 ? BigInt(number).toString() : `${BigInt(number)}.${'0'.repeat(digits)}`;
}

function integer(value: unknown, clause: string): bigint {
  const kind = kindOf(value);
  if (kind === 'int') return value as bigint;
  return kind === 'uint' ? (value as CelUint).value : unsuitable(clause, value);
}

function hexadecimal(value: unknown): string {
  const bytes = typeof value === 'string' ? encodeUtf8(value) : value;
  if (bytes instanceof Uint8Array) spendLength(bytes.length);
  if (bytes instanceof Uint8Array) return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return integer(value, 'x').toString(16);
}

function infinite(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value > 0 ? 'Infinity' : '-Infinity';
}

function unsuitable(clause: string, value: unknown): never {
  throw new CelError('invalid-argument', `%${clause} cannot print ${withArticle(kindOf(value))}`);
}
