import { CelError } from '../engine.ts';
import { equal } from './equality.ts';
import { kindOf } from './kind.ts';
import { mustOrder, nanosecondsOf } from './ordering.ts';
import { CelTimestamp } from './timestamp.ts';

/** As `equal`; a timestamp and a text that is an RFC 3339 time are compared as times. */
export function equalTimes(left: unknown, right: unknown): boolean {
  if (left === right) return true;
  const times = asTimes(left, right);
  return times ? times[0] === times[1] : equal(left, right);
}

/** As `mustOrder`; a timestamp and a text that is an RFC 3339 time are compared as times. */
export function orderTimes(left: unknown, right: unknown, operator: string): number {
  const times = asTimes(left, right);
  if (!times) return mustOrder(left, right, operator);
  return times[0] < times[1] ? -1 : times[0] > times[1] ? 1 : 0;
}

/** Whether a timestamp may equal the text. */
export function isTime(text: string): boolean {
  return timeOf(text) !== undefined;
}

function asTimes(left: unknown, right: unknown): readonly [bigint, bigint] | undefined {
  if (typeof left === typeof right || (typeof left !== 'string' && typeof right !== 'string')) return undefined;
  const one = timeOf(left);
  if (one === undefined) return undefined;
  const two = timeOf(right);
  return two === undefined ? undefined : [one, two];
}

function timeOf(value: unknown): bigint | undefined {
  if (typeof value !== 'string') return kindOf(value) === 'timestamp' ? nanosecondsOf(value) : undefined;
  // The shortest time has 20 characters, and most texts are something else.
  if (value.length < 20 || value.length > longestTime || value.charCodeAt(4) !== 0x2d) return undefined;
  try {
    return CelTimestamp.parse(value).nanoseconds;
  } catch (error) {
    if (error instanceof CelError) return undefined;
    throw error;
  }
}

const longestTime = 100;
