import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Lease, WorkflowStore } from '../store/store.ts';

export interface Renewal {
  readonly store: WorkflowStore;
  readonly clock: Clock;
  /** What is held now. */
  readonly ids: () => readonly string[];
  readonly lease: () => Lease;
}

/** Renews leases each `every` milliseconds, five times as often while the store does not answer, until `over` fires. */
export async function renewLeases(
  { store, clock, ids, lease }: Renewal,
  every: number,
  over: AbortSignal,
): Promise<void> {
  for (let pause = every; ; ) {
    const isOver = await clock.sleep(pause, over).then(
      () => false,
      () => true,
    );
    if (isOver) return;
    pause = await store.renew(ids(), lease()).then(
      () => every,
      () => every / 5,
    );
  }
}
