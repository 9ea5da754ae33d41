import type { Clock } from '../../../observe/clock.ts';

/** Milliseconds that a batch works without a pause. */
const longest = 10;

/**
 * Lets everything else of the process have its turn now and then: a database inside the process never waits for
 * anything, so that a long batch over it would keep requests, timers and signals from being noticed. Undefined when it
 * is not time yet.
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
