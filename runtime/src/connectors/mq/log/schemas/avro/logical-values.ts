import { doesNotFit, kindOf, unreadable } from '../../../../../platform/formats/typed/problem.ts';
import type { Decimal } from './logical-types.ts';
import type { AvroType } from './type.ts';

/** What the values of a logical type are to flows: texts, which lose no digit. */
interface LogicalValues {
  read(type: AvroType, value: unknown): unknown;
  /** Throws a Failure `value_refused`. */
  write(type: AvroType, value: unknown, path: string): unknown;
}

const millisecondsOfDay = 86_400_000;
/** Days and milliseconds that a date may be away from 1970. */
const farthest = 8_640_000_000_000_000;

export const logicalValues: Readonly<Record<string, LogicalValues>> = {
  'logical:decimal': { read: readDecimal, write: writeDecimal },
  'logical:date': {
    read: (_, value) => dateOf(Number(value) * millisecondsOfDay).slice(0, -14),
    write: (_, value, path) => {
      const isDate = typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value);
      const milliseconds = isDate ? Date.parse(`${value}T00:00:00Z`) : Number.NaN;
      if (Number.isNaN(milliseconds)) throw doesNotFit(path, `must be a date (2026-01-31), not ${kindOf(value)}`);
      return milliseconds / millisecondsOfDay;
    },
  },
  'logical:timestamp-millis': {
    read: (_, value) => dateOf(Number(value)),
    write: (_, value, path) => Number(microsecondsOf(value, path) / 1000n),
  },
  'logical:timestamp-micros': {
    read: (_, value) => {
      const micros = BigInt(value as number | bigint);
      const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n;
      const seconds = dateOf(Number((micros - rest) / 1000n)).slice(0, -5);
      return `${seconds}.${String(rest).padStart(6, '0')}Z`;
    },
    write: (_, value, path) => microsecondsOf(value, path),
  },
};

function dateOf(milliseconds: number): string {
  if (Math.abs(milliseconds) > farthest) throw unreadable('a time is out of range');
  return new Date(milliseconds).toISOString();
}

/** Times are RFC 3339, or the moment that an expression made. */
function microsecondsOf(value: unknown, path: string): bigint {
  const text = value instanceof Date ? value.toISOString() : value;
  const match = typeof text === 'string' ? /^(.*T\d\d:\d\d:\d\d)(?:\.(\d+))?(Z|[+-]\d\d:\d\d)$/i.exec(text) : null;
  const milliseconds = match === null ? Number.NaN : Date.parse(`${match[1]}${match[3]}`);
  if (Number.isNaN(milliseconds)) throw doesNotFit(path, `must be a time (RFC 3339), not ${kindOf(value)}`);
  return BigInt(milliseconds) * 1000n + BigInt((match?.[2] ?? '').slice(0, 6).padEnd(6, '0'));
}

/** Digits beyond which a number takes longer to be read than it is worth. */
const mostDigits = 1000;

function readDecimal(type: AvroType, value: unknown): string {
  const { scale } = type as unknown as Decimal;
  const bytes = value as Uint8Array;
  if (bytes.length > mostDigits / 2) throw unreadable(`a decimal has more than ${mostDigits} digits`);
  const hex = Buffer.from(bytes).toString('hex');
  const unscaled = hex === '' ? 0n : BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`));
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return `${unscaled < 0n ? '-' : ''}${whole}${scale === 0 ? '' : `.${digits.slice(-scale)}`}`;
}

function writeDecimal(type: AvroType, value: unknown, path: string): Uint8Array {
  const { precision, scale } = type as unknown as Decimal;
  const text = typeof value === 'number' || typeof value === 'bigint' ? String(value) : value;
  const match = typeof text === 'string' && text.length <= mostDigits ? /^(-?)(\d+)(?:\.(\d*))?$/.exec(text) : null;
  if (match === null) throw doesNotFit(path, `must be a decimal number, not ${kindOf(value)}`);
  const [, sign, whole = '', fraction = ''] = match;
  if (fraction.slice(scale).match(/[1-9]/)) throw doesNotFit(path, `has more than ${scale} digits behind the point`);
  const size = BigInt(`${whole}${fraction.slice(0, scale).padEnd(scale, '0')}`);
  if (String(size).length > precision && size !== 0n) throw doesNotFit(path, `has more than ${precision} digits`);
  const { underlyingType } = type;
  const unscaled = sign === '-' ? -size : size;
  let length = underlyingType.typeName === 'fixed' ? underlyingType.size : 1;
  while (underlyingType.typeName !== 'fixed' && BigInt.asIntN(length * 8, unscaled) !== unscaled) length++;
  if (BigInt.asIntN(length * 8, unscaled) !== unscaled) throw doesNotFit(path, `needs more than ${length} bytes`);
  const hex = BigInt.asUintN(length * 8, unscaled).toString(16);
  return Buffer.from(hex.padStart(length * 2, '0'), 'hex');
}
