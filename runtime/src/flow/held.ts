import { Failure } from '../errors/failure.ts';
import type { FailureCode } from '../errors/failures.ts';
import type { Frame } from './frame.ts';
import type { FlowModel } from './model.ts';

/** Whether executions of the flow hold something that they may lose, so that each write has to look. */
export function mayLose({ values }: Pick<FlowModel, 'values'>): boolean {
  return values.lock !== undefined || values.semaphore !== undefined;
}

/** Throws when something that was taken is held no more: another execution may be where this one is (decisions 19). */
export function checkHeld({ leases }: Frame): void {
  for (const { isLost, what } of leases) if (isLost) throw new Failure(losses[what].code, losses[what].message);
}

/** Whether a failure says so: it ends the flow, whatever the block in which it came up says about failures. */
export function isLoss({ code }: Failure): boolean {
  return lossCodes.has(code);
}

const losses = {
  lock: { code: 'lock_lost', message: 'the lock was lost while the flow ran, so nothing more is written' },
  permit: { code: 'permit_lost', message: 'the permit was lost while the flow ran, so nothing more is written' },
} as const;

const lossCodes: ReadonlySet<FailureCode> = new Set(Object.values(losses).map(({ code }) => code));
