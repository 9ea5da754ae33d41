import { Failure } from '../../../../foundation/errors/failure.ts';
import { syncStoreOf } from '../../../../platform/sync/stores.ts';
import { type Holding, holdingPart } from '../../hold/holding.ts';
import { compileSyncKey } from '../../hold/sync-key.ts';
import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';

/** Milliseconds between two attempts. */
const retry = 50;

/** Runs the rest of the flow for a limited number of messages at a time. */
export function semaphore({ name: flow, values }: FlowModel, tools: FlowTools): Part[] {
  const { semaphore: block } = values;
  if (!block) return [];
  const { max_permits: most, timeout, lease } = block;
  const store = syncStoreOf(block.storage, tools.services, `semaphore of flow "${flow}"`);
  const { families } = tools.services;
  const [acquired, released] = [families.semaphoreAcquired.of(flow), families.semaphoreReleased.of(flow)];
  const [timedOut, lost] = [families.semaphoreTimeout.of(flow), families.semaphoreLost.of(flow)];
  const [waited, available] = [families.semaphoreWait.of(flow), families.semaphoreAvailable.of(flow)];
  available.value = most;
  /** Permits that executions of this flow in this process hold, by pool. */
  const held = new Map<string, number>();
  const hold = (pool: string, change: 1 | -1) => {
    const count = (held.get(pool) ?? 0) + change;
    if (count === 0) held.delete(pool);
    else held.set(pool, count);
    available.value = most - count;
  };
  const holding: Holding<string> = {
    stage: 'semaphore',
    what: 'permit',
    flow,
    key: compileSyncKey(block.key, 'semaphore', tools),
    life: lease,
    timeout,
    retry,
    take: (pool) => store.takePermit(pool, most, lease),
    extend: (pool, permit) => store.extendPermit(pool, permit, lease),
    giveBack: (pool, permit) => store.returnPermit(pool, permit),
    refused: (pool) =>
      new Failure('wait_timeout', `failed to acquire a permit of "${pool}" within ${timeout / 1000} s`, {
        retryAfter: 1000,
      }),
    counts: {
      taken: (pool, seconds) => {
        acquired.value++;
        waited.observe(seconds);
        hold(pool, 1);
      },
      gone: (pool) => hold(pool, -1),
      released: () => void released.value++,
      refused: () => void timedOut.value++,
      lost: () => void lost.value++,
    },
  };
  return [holdingPart(holding, tools)];
}
