import { CelError } from '../engine.ts';
import { CelDuration } from './duration.ts';
import { noOperator, noOverload } from './failure.ts';
import { kindOf, numeric } from './kind.ts';
import { nanosecondsOf } from './ordering.ts';
import { CelTimestamp } from './timestamp.ts';
import { CelUint } from './uint.ts';

const smallest = -9223372036854775808n;
const largest = 9223372036854775807n;

/** The value as an int. Throws CelError `overflow` beyond 64 bits. */
export function toInt64(value: bigint): bigint {
  if (value < smallest || value > largest) throw new CelError('overflow', 'the result does not fit into an int');
  return value;
}

export type ArithmeticOperator = '+' | '-' | '*' | '/' | '%';
export type Arithmetic = (left: unknown, right: unknown) => unknown;

/** The operators of numbers, texts, lists, bytes and times. `mixed` lets ints and doubles meet; the result is a double. */
export function arithmetic(operator: ArithmeticOperator, mixed: boolean): Arithmetic {
  const ints = wholeNumbers[operator];
  const doubles = operator === '%' && !mixed ? undefined : fractions[operator];
  const others = operator === '+' ? addOthers : operator === '-' ? subtractOthers : undefined;
  return (left, right) => {
    if (typeof left === 'number' && typeof right === 'number' && doubles) return doubles(left, right);
    if (typeof left === 'bigint' && typeof right === 'bigint') return toInt64(ints(left, right));
    if (left instanceof CelUint && right instanceof CelUint) return new CelUint(ints(left.value, right.value));
    if (mixed && doubles) {
      const [one, two] = [numeric(left), numeric(right)];
      if (one !== undefined && two !== undefined) return doubles(Number(one), Number(two));
    }
    return (others ?? noOthers)(left, right, operator);
  };
}

export function negate(value: unknown): unknown {
  if (typeof value === 'number') return -value;
  if (typeof value === 'bigint') return toInt64(-value);
  return noOverload('-', value);
}

const wholeNumbers: Record<ArithmeticOperator, (left: bigint, right: bigint) => bigint> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / nonZero(right),
  '%': (left, right) => left % nonZero(right),
};

const fractions: Record<ArithmeticOperator, (left: number, right: number) => number> = {
  '+': (left, right) => left + right,
  '-': (left, right) => left - right,
  '*': (left, right) => left * right,
  '/': (left, right) => left / right,
  '%': (left, right) => left % nonZero(right),
};

function nonZero<T extends bigint | number>(divisor: T): T {
  if (!divisor) throw new CelError('divide-by-zero', 'division by zero');
  return divisor;
}

function noOthers(left: unknown, right: unknown, operator: string): never {
  return noOperator(operator, left, right);
}

function addOthers(left: unknown, right: unknown): unknown {
  if (typeof left === 'string' && typeof right === 'string') return left + right;
  if (Array.isArray(left) && Array.isArray(right)) return left.concat(right);
  if (left instanceof Uint8Array && right instanceof Uint8Array) {
    const joined = new Uint8Array(left.length + right.length);
    joined.set(left);
    joined.set(right, left.length);
    return joined;
  }
  switch (`${kindOf(left)}+${kindOf(right)}`) {
    case 'timestamp+duration':
      return new CelTimestamp(nanosecondsOf(left) + (right as CelDuration).nanoseconds);
    case 'duration+timestamp':
      return new CelTimestamp((left as CelDuration).nanoseconds + nanosecondsOf(right));
    case 'duration+duration':
      return new CelDuration((left as CelDuration).nanoseconds + (right as CelDuration).nanoseconds);
    default:
      return noOperator('+', left, right);
  }
}

function subtractOthers(left: unknown, right: unknown): unknown {
  switch (`${kindOf(left)}-${kindOf(right)}`) {
    case 'timestamp-duration':
      return new CelTimestamp(nanosecondsOf(left) - (right as CelDuration).nanoseconds);
    case 'timestamp-timestamp':
      return new CelDuration(toInt64(nanosecondsOf(left) - nanosecondsOf(right)));
    case 'duration-duration':
      return new CelDuration((left as CelDuration).nanoseconds - (right as CelDuration).nanoseconds);
    default:
      return noOperator('-', left, right);
  }
}
