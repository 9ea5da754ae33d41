/** The queue of requests of the library, which it does not declare. */
interface RequestQueue {
  readonly pending: readonly unknown[];
  /** Unix milliseconds; below now where the broker asked for no pause. */
  readonly throttledUntil: number;
  scheduleCheckPendingRequests(): void;
  /** The method of the library. */
  scheduleAlways?: () => void;
}

/**
 * After each answer the library sets a timer to look for waiting requests, also when no request waits: with a time below
 * zero, of which Node warns on standard error. Here a timer is set when a request waits or the broker asked for a pause.
 */
export async function correctRequestQueue(): Promise<void> {
  // @ts-expect-error The library does not declare its inner modules.
  const { default: library } = await import('kafkajs/src/network/requestQueue/index.js');
  const queue = (library as { readonly prototype: RequestQueue }).prototype;
  if (queue.scheduleAlways !== undefined) return;
  queue.scheduleAlways = queue.scheduleCheckPendingRequests;
  queue.scheduleCheckPendingRequests = function (this: RequestQueue) {
    if (this.pending.length > 0 || this.throttledUntil > Date.now()) this.scheduleAlways?.();
  };
}
