import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { SyncStore } from '../../../../platform/sync/store.ts';

/** A wake-up may be lost, so the store is polled at this interval; milliseconds. */
const askAgainEvery = 1_000;

/**
 * Waits until the signal exists; false when `timeout` milliseconds have passed first. A signal that came before and is
 * still kept counts. Rejects with the reason of the signal `cancel`, and when the store is unavailable.
 */
export async function awaitSignal(
  store: SyncStore,
  key: string,
  timeout: number,
  clock: Clock,
  cancel: AbortSignal | undefined,
): Promise<boolean> {
  const end = clock.elapsed() + timeout;
  let woken = Promise.withResolvers<void>();
  // The subscription begins before the first check, so that a signal between the two is not missed.
  const stop = await store.onSignal(key, () => woken.resolve());
  try {
    for (;;) {
      if (await store.signalled(key)) return true;
      const left = end - clock.elapsed();
      if (left <= 0) return false;
      const over = new AbortController();
      const signals = cancel === undefined ? over.signal : AbortSignal.any([cancel, over.signal]);
      const pause = clock.sleep(Math.min(left, askAgainEvery), signals);
      try {
        await Promise.race([pause, woken.promise]);
      } finally {
        over.abort();
        pause.catch(() => undefined);
      }
      woken = Promise.withResolvers<void>();
    }
  } finally {
    stop();
  }
}
