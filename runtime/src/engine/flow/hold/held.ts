import { Failure } from '../../../foundation/errors/failure.ts';
import type { FailureCode } from '../../../foundation/errors/failures.ts';
import type { Frame } from '../message/frame.ts';
import type { FlowModel } from '../model.ts';
import { isThere, pipeline } from '../pipeline/stages.ts';

/** Whether executions of the flow hold something that they may lose, so that each write has to check. */
export function mayLose({ values }: Pick<FlowModel, 'values'>): boolean {
  return pipeline.some(({ holds, word }) => holds !== undefined && isThere(values, word));
}

/**
 * Throws when something that was taken is no longer held: another execution may hold it now
 * (docs/specification/state.md#locks).
 */
export function checkHeld({ leases }: Frame): void {
  for (const { isLost, what } of leases) if (isLost) throw new Failure(losses[what].code, losses[what].message);
}

/** Whether a failure means such a loss: it ends the flow, whatever the failing block sets for failures. */
export function isLoss({ code }: Failure): boolean {
  return lossCodes.has(code);
}

const losses = {
  lock: { code: 'lock_lost', message: 'the lock was lost while the flow ran, so nothing more is written' },
  permit: { code: 'permit_lost', message: 'the permit was lost while the flow ran, so nothing more is written' },
} as const;

const lossCodes: ReadonlySet<FailureCode> = new Set(Object.values(losses).map(({ code }) => code));
