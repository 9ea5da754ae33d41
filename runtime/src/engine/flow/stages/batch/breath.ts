import type { Clock } from '../../../../foundation/observe/clock.ts';

/** Milliseconds that a batch works without a pause. */
const longest = 10;

/**
 * Yields to the event loop at intervals: a database inside the process never waits for I/O, so that a long batch over
 * it would block requests, timers and signals. Undefined when it is not time yet.
 */
export function breathing(clock: Clock): () => Promise<void> | undefined {
  let since = clock.elapsed();
  return () => {
    if (clock.elapsed() - since < longest) return undefined;
    return new Promise<void>((resolve) => setImmediate(resolve)).then(() => {
      since = clock.elapsed();
    });
  };
}
