import { CelError } from '../engine.ts';
import type { CelDuration } from './duration.ts';
import { kindOf, numeric } from './kind.ts';
import { CelTimestamp } from './timestamp.ts';

/**
 * Negative, zero or positive as `left` is before, equal to or after `right`; NaN when a number is not one.
 * Undefined when the two cannot be compared.
 */
export function order(left: unknown, right: unknown): number | undefined {
  if (typeof left === 'string' && typeof right === 'string') return compareText(left, right);
  const leftNumber = numeric(left);
  if (leftNumber !== undefined) {
    const rightNumber = numeric(right);
    return rightNumber === undefined ? undefined : compare(leftNumber, rightNumber);
  }
  const kind = kindOf(left);
  if (kind !== kindOf(right)) return undefined;
  switch (kind) {
    case 'bool':
      return Number(left) - Number(right);
    case 'timestamp':
      return compare(nanosecondsOf(left), nanosecondsOf(right));
    case 'duration':
      return compare((left as CelDuration).nanoseconds, (right as CelDuration).nanoseconds);
    case 'bytes':
      return compareBytes(left as Uint8Array, right as Uint8Array);
    default:
      return undefined;
  }
}

/** As `order`; throws CelError `no-such-overload` when the two cannot be compared. */
export function mustOrder(left: unknown, right: unknown, operator: string): number {
  const result = order(left, right);
  if (result === undefined)
    throw new CelError('no-such-overload', `${kindOf(left)} ${operator} ${kindOf(right)} is not defined`);
  return result;
}

/** Nanoseconds since 1970 of a CelTimestamp or a Date. */
export function nanosecondsOf(value: unknown): bigint {
  return value instanceof Date ? BigInt(value.getTime()) * 1_000_000n : (value as CelTimestamp).nanoseconds;
}

/** A timestamp the host may have given as a Date. */
export function timestampOf(value: unknown): CelTimestamp {
  return value instanceof CelTimestamp ? value : new CelTimestamp(nanosecondsOf(value));
}

function compare(left: number | bigint, right: number | bigint): number {
  if (left < right) return -1;
  if (left > right) return 1;
  // biome-ignore lint/suspicious/noDoubleEquals: compares a bigint and a number by value
  return left == right ? 0 : Number.NaN;
}

/** By code points. UTF-16 order differs from it only where surrogates meet the characters above them. */
function compareText(left: string, right: string): number {
  if (left === right) return 0;
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const one = left.charCodeAt(at);
    const two = right.charCodeAt(at);
    if (one === two) continue;
    const [oneIsHalf, twoIsHalf] = [isSurrogate(one), isSurrogate(two)];
    return oneIsHalf === twoIsHalf ? one - two : oneIsHalf ? 1 : -1;
  }
  return left.length - right.length;
}

function isSurrogate(code: number): boolean {
  return code >= 0xd800 && code <= 0xdfff;
}

function compareBytes(left: Uint8Array, right: Uint8Array): number {
  const length = Math.min(left.length, right.length);
  for (let at = 0; at < length; at++) {
    const difference = (left[at] as number) - (right[at] as number);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
