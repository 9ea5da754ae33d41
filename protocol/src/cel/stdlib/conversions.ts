import { CelError } from '../engine.ts';
import { toInt64 } from '../values/arithmetic.ts';
import { CelDuration } from '../values/duration.ts';
import { noOverload } from '../values/failure.ts';
import { kindOf } from '../values/kind.ts';
import { nanosecondsOf, timestampOf } from '../values/ordering.ts';
import { CelTimestamp } from '../values/timestamp.ts';
import { CelTypeValue, typeValues } from '../values/type-value.ts';
import { CelUint } from '../values/uint.ts';
import { decodeUtf8, encodeUtf8 } from '../values/utf8.ts';
import { bytesOf, textOf } from './arguments.ts';
import type { FunctionDefinition } from './definition.ts';
import { formatDouble } from './double-text.ts';

const second = 1_000_000_000n;

/** Conversions between types, section "Standard Definitions" of the language definition. */
export const conversions: readonly FunctionDefinition[] = [
  {
    name: 'int',
    group: 'conversions',
    signatures: ['int(value: dyn) -> int'],
    doc: 'An int of a number (fractions are cut off), a text of digits, or a timestamp (seconds since 1970).',
    example: "int('42') == 42 && int(2.9) == 2",
    call: toInt,
  },
  {
    name: 'uint',
    group: 'conversions',
    signatures: ['uint(value: dyn) -> uint'],
    doc: 'An unsigned int of a number that is not negative or a text of digits.',
    example: 'uint(7) == 7u',
    call: toUint,
  },
  {
    name: 'double',
    group: 'conversions',
    signatures: ['double(value: dyn) -> double'],
    doc: 'A double of a number or a text.',
    example: "double('1.5') == 1.5",
    call: toDouble,
  },
  {
    name: 'string',
    group: 'conversions',
    signatures: ['string(value: dyn) -> string'],
    doc: 'The text of a number, bool, timestamp or duration; bytes are read as UTF-8.',
    example: "string(3.0) == '3' && string(true) == 'true'",
    call: toText,
  },
  {
    name: 'bool',
    group: 'conversions',
    signatures: ['bool(value: dyn) -> bool'],
    doc: 'A bool of one of the texts `true`, `t`, `1`, `false`, `f`, `0`.',
    example: "bool('true')",
    call: toBool,
  },
  {
    name: 'bytes',
    group: 'conversions',
    signatures: ['bytes(value: dyn) -> bytes'],
    doc: 'The UTF-8 bytes of a text.',
    example: "bytes('abc') == b'abc'",
    call: (value) =>
      typeof value === 'string'
        ? encodeUtf8(textOf(value))
        : value instanceof Uint8Array
          ? value
          : noOverload('bytes()', value),
  },
  {
    name: 'timestamp',
    group: 'time',
    signatures: ['timestamp(value: dyn) -> timestamp'],
    doc: 'A moment of an RFC 3339 text or of seconds since 1970.',
    example: "timestamp('2025-03-01T08:15:00Z').getFullYear() == 2025",
    call: toTimestamp,
    inspect: ([text]) => typeof text === 'string' && CelTimestamp.parse(text),
  },
  {
    name: 'duration',
    group: 'time',
    signatures: ['duration(value: dyn) -> duration'],
    doc: 'A span of time of a text such as `1h30m` or `3.5s`.',
    example: "duration('1h') == duration('60m')",
    inspect: ([text]) => typeof text === 'string' && CelDuration.parse(text),
    call: (value) => {
      if (typeof value === 'string') return CelDuration.parse(value);
      if (typeof value === 'bigint') return new CelDuration(value * second);
      return value instanceof CelDuration ? value : noOverload('duration()', value);
    },
  },
  {
    name: 'type',
    group: 'conversions',
    signatures: ['type(value: A) -> type'],
    doc: 'The type of a value, to be compared with a name such as `int` or `string`.',
    example: 'type(1) == int',
    call: typeOf,
  },
  {
    name: 'dyn',
    group: 'conversions',
    signatures: ['dyn(value: A) -> dyn'],
    doc: 'The value itself; its type is only looked at when the expression runs.',
    example: 'dyn(1) == 1.0',
    call: (value) => value,
  },
];

const typeNames = {
  timestamp: 'google.protobuf.Timestamp',
  duration: 'google.protobuf.Duration',
  optional: 'optional_type',
} as const;

function typeOf(value: unknown): CelTypeValue {
  const kind = kindOf(value);
  const name = kind in typeNames ? typeNames[kind as keyof typeof typeNames] : kind;
  return typeValues.get(name) ?? new CelTypeValue(name);
}

function toInt(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') {
    if (!(value > -(2 ** 63) && value < 2 ** 63)) throw new CelError('overflow', `${value} does not fit into an int`);
    return BigInt(Math.trunc(value));
  }
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value) || value.length > 64)
      throw new CelError('invalid-conversion', `${JSON.stringify(value)} is not an int`);
    return toInt64(BigInt(value.replace('+', '')));
  }
  if (value instanceof CelUint) return toInt64(value.value);
  if (kindOf(value) === 'timestamp') return floorSeconds(nanosecondsOf(value));
  if (value instanceof CelDuration) return value.nanoseconds / second;
  return noOverload('int()', value);
}

function floorSeconds(nanoseconds: bigint): bigint {
  return nanoseconds / second - (nanoseconds % second < 0n ? 1n : 0n);
}

function toUint(value: unknown): CelUint {
  if (value instanceof CelUint) return value;
  if (typeof value === 'bigint') return new CelUint(value);
  if (typeof value === 'number') {
    if (!(value >= 0 && value < 2 ** 64)) throw new CelError('overflow', `${value} does not fit into a uint`);
    return new CelUint(BigInt(Math.trunc(value)));
  }
  if (typeof value !== 'string') return noOverload('uint()', value);
  if (!/^\+?\d+$/.test(value) || value.length > 64)
    throw new CelError('invalid-conversion', `${JSON.stringify(value)} is not a uint`);
  return new CelUint(BigInt(value.replace('+', '')));
}

function toDouble(value: unknown): number {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof CelUint) return Number(value.value);
  if (typeof value !== 'string') return noOverload('double()', value);
  if (/^[+-]?(?:inf|infinity)$/i.test(value))
    return value.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  if (/^nan$/i.test(value)) return Number.NaN;
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(value)) return Number(value);
  throw new CelError('invalid-conversion', `${JSON.stringify(value)} is not a number`);
}

function toText(value: unknown): string {
  switch (kindOf(value)) {
    case 'string':
      return value as string;
    case 'double':
      return formatDouble(value as number);
    case 'int':
    case 'uint':
    case 'bool':
    case 'duration':
      return String(value);
    case 'timestamp':
      return timestampOf(value).toString();
    case 'bytes': {
      const text = decodeUtf8(bytesOf(value));
      if (text === undefined) throw new CelError('invalid-conversion', 'the bytes are not UTF-8');
      return text;
    }
    default:
      return noOverload('string()', value);
  }
}

function toBool(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  if (typeof value !== 'string') return noOverload('bool()', value);
  if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value)) return true;
  if (['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(value)) return false;
  throw new CelError('invalid-conversion', `${JSON.stringify(value)} is not a bool`);
}

function toTimestamp(value: unknown): CelTimestamp {
  if (typeof value === 'string') return CelTimestamp.parse(value);
  if (typeof value === 'bigint') return new CelTimestamp(value * second);
  if (typeof value === 'number' && Number.isInteger(value)) return new CelTimestamp(BigInt(value) * second);
  if (kindOf(value) === 'timestamp') return timestampOf(value);
  return noOverload('timestamp()', value);
}
