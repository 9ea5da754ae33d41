import { Fields } from '@svc/protocol/cel';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { LockGrant } from '../../../../platform/sync/store.ts';
import { syncStoreOf } from '../../../../platform/sync/stores.ts';
import { type Alongside, type Holding, holdingPart } from '../../hold/holding.ts';
import { compileSyncKey } from '../../hold/sync-key.ts';
import type { Part } from '../../message/part.ts';
import type { FlowModel } from '../../model.ts';
import type { FlowTools } from '../../tools.ts';

/**
 * Runs the rest of the flow while no other message with the same key runs it. `alongside` is sent with the requests to
 * the store.
 */
export function lock({ name: flow, values }: FlowModel, tools: FlowTools, alongside: Alongside | undefined): Part[] {
  const { lock: block } = values;
  if (!block) return [];
  const { timeout, wait, retry } = block;
  const store = syncStoreOf(block.storage, tools.services, `lock of flow "${flow}"`);
  const { lockAcquired, lockReleased, lockTimeout, lockLost, lockWait, lockHeld } = tools.services.families;
  const labels = [flow, 'flow'] as const;
  const [acquired, released] = [lockAcquired.of(...labels), lockReleased.of(...labels)];
  const [timedOut, lost] = [lockTimeout.of(...labels), lockLost.of(...labels)];
  const [waited, held] = [lockWait.of(...labels), lockHeld.of(...labels)];
  const holding: Holding<LockGrant> = {
    stage: 'lock',
    what: 'lock',
    flow,
    key: compileSyncKey(block.key, 'lock', tools),
    life: timeout,
    timeout: wait ? timeout : 0,
    retry,
    alongside,
    take: (key) => store.acquire(key, timeout),
    extend: (key, { owner }) => store.extend(key, owner, timeout),
    giveBack: (key, { owner }) => store.release(key, owner),
    show: (frame, { token }) => {
      const before = frame.lock;
      const shown = new Fields();
      shown['token'] = token;
      frame.lock = shown;
      return () => {
        frame.lock = before;
      };
    },
    refused: (key) =>
      wait
        ? new Failure('wait_timeout', `failed to acquire lock "${key}" within ${timeout / 1000} s`, {
            retryAfter: 1000,
          })
        : new Failure('lock_taken', `failed to acquire lock "${key}": another message holds it`, { retryAfter: retry }),
    counts: {
      taken: (_key, seconds) => {
        acquired.value++;
        waited.observe(seconds);
        held.value++;
      },
      gone: () => void held.value--,
      released: () => void released.value++,
      refused: () => void timedOut.value++,
      lost: () => void lost.value++,
    },
  };
  return [holdingPart(holding, tools)];
}
