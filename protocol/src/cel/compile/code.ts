import type { Range } from '../../text/index.ts';
import { CelError } from '../engine.ts';
import { meter } from '../values/meter.ts';

/** The variables of an evaluation. */
export type Variables = Readonly<Record<string, unknown>>;

/** What one evaluation keeps: the variables of macros. */
export interface Frame {
  readonly locals: unknown[];
}

export type Evaluate = (variables: Variables, frame: Frame) => unknown;

/** A compiled part of an expression. */
export interface Code {
  readonly run: Evaluate;
  /**
   * The value when it is known already. It may be shared, so it is only looked at, never handed out, when it is a list
   * or map.
   */
  readonly constant?: { readonly value: unknown } | undefined;
}

/** A part whose value is known. `run` makes new lists and maps, since their receiver may keep them. */
export function constantCode(value: unknown, run: Evaluate = () => value): Code {
  return { run, constant: { value } };
}

/** The error with the place it happened, unless it has one. Any other error is a failure of the platform's limits. */
export function located(error: unknown, range: Range): unknown {
  if (error instanceof CelError)
    return error.range.end > 0 ? error : new CelError(error.reason, error.message, spanOf(range));
  if (error instanceof RangeError)
    return new CelError('cost-limit', `the value is too large: ${error.message}`, spanOf(range));
  return error;
}

/** Throws an error with its place. */
export function failAt(range: Range, reason: CelError['reason'], message: string): never {
  throw new CelError(reason, message, spanOf(range));
}

/** Calls `work` and gives its error the place. */
export function at1(range: Range, work: (value: unknown) => unknown, value: unknown): unknown {
  try {
    return work(value);
  } catch (error) {
    throw located(error, range);
  }
}

/** Calls `work` and gives its error the place. */
export function at2(
  range: Range,
  work: (left: unknown, right: unknown) => unknown,
  left: unknown,
  right: unknown,
): unknown {
  try {
    return work(left, right);
  } catch (error) {
    throw located(error, range);
  }
}

/** Takes steps off the budget. Throws CelError `cost-limit` with its place when it is spent. */
export function spendAt(range: Range, steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) failAt(range, 'cost-limit', 'the expression takes too many steps');
}

/**
 * Steps that a value costs that was built in a loop, where it may grow: an element each, or a thousand characters or
 * bytes.
 */
export function sizeCost(value: unknown): number {
  if (typeof value === 'string') return value.length >> 10;
  if (Array.isArray(value)) return value.length;
  return value instanceof Uint8Array ? value.length >> 10 : 0;
}

function spanOf({ start, end }: Range): Range {
  return { start, end };
}
