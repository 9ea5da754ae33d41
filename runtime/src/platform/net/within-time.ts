import { Failure } from '../../foundation/errors/failure.ts';

/**
 * Does the work, or rejects with a Failure after `limit` milliseconds, when the work's signal fires too. `used`
 * milliseconds of the limit have passed before.
 */
export async function withinTime<T>(
  limit: number,
  work: (signal: AbortSignal) => T | Promise<T>,
  used = 0,
): Promise<T> {
  const stop = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => {
        const failure = new Failure('connector_timeout', `no response within ${Math.round(limit) / 1000} s`);
        stop.abort(failure);
        reject(failure);
      },
      Math.max(1, limit - used),
    );
  });
  try {
    return await Promise.race([work(stop.signal), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds in which a command lets a connector close: one may still be in a transaction that was given up. */
export const commandCloseTime = 2_000;
