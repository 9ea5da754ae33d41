import { CelError } from '../engine.ts';

/** The values of a list, asked whether one is among them. */
export interface KnownValues {
  has(value: unknown): boolean;
}

/**
 * What the evaluation that runs may still spend. Evaluations are synchronous and run one at a time, so that one meter
 * serves all: functions and comparisons reach it without being given anything, and generated code reads it directly.
 */
export const meter: { left: number; memberships: WeakMap<readonly unknown[], KnownValues | null> | undefined } = {
  left: 0,
  /** Lists that `in` was asked of; null after the first time, their values by hash from the second time on. */
  memberships: undefined,
};

/** Begins an evaluation that may take so many steps. */
export function refill(steps: number): void {
  meter.left = steps;
  meter.memberships = undefined;
}

/** Runs `work` with a budget of its own, and leaves the budget of the evaluation around it as it was. */
export function apart<T>(steps: number, work: () => T): T {
  const { left, memberships } = meter;
  refill(steps);
  try {
    return work();
  } finally {
    meter.left = left;
    meter.memberships = memberships;
  }
}

/** Takes steps off the budget. Throws CelError `cost-limit` when it is spent. */
export function spend(steps: number): void {
  meter.left -= steps;
  if (meter.left < 0) throw new CelError('cost-limit', 'the expression takes too many steps');
}

/** Takes what reading or building a text or bytes of this length costs: a step for each 64 characters. */
export function spendLength(length: number): void {
  if (length > 63) spend(length >> 6);
}
