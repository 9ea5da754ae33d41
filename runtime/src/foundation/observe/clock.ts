declare const reading: unique symbol;

/**
 * A point of elapsed time with fractions of a millisecond, for the measure of a duration. It is not a number, so that
 * no time is computed from it: fractions add up to doubles that rounding makes equal.
 */
export interface Reading {
  readonly [reading]: never;
}

/** Time as an argument, so that tests and replays set it. */
export interface Clock {
  /** Whole milliseconds since 1970. They are set, forward and back, while the process runs. */
  now(): number;
  /** Whole milliseconds that never decrease: for what is compared and computed, such as the end of a wait. */
  elapsed(): number;
  /** Begins the measure of a duration. */
  reading(): Reading;
  /** Milliseconds since a reading, with fractions. */
  since(reading: Reading): number;
  /**
   * Resolves after `milliseconds`, however many, or rejects with the signal's reason when it fires first. Rejects when
   * they are not a number.
   */
  sleep(milliseconds: number, signal?: AbortSignal): Promise<void>;
}

/** The longest time of a timer, in milliseconds: what is longer fires at once. */
export const longestTimer = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => Math.floor(performance.now()),
  reading: () => readingAt(performance.now()),
  since: (reading) => performance.now() - timeOf(reading),
  sleep: (milliseconds, signal) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      if (Number.isNaN(milliseconds)) return reject(new RangeError('a sleep needs a number of milliseconds'));
      let left = Math.max(0, milliseconds);
      let timer: NodeJS.Timeout;
      const go = () => {
        const part = Math.min(left, longestTimer);
        left -= part;
        timer = setTimeout(left > 0 ? go : end, part);
      };
      const end = () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      signal?.addEventListener('abort', stop, { once: true });
      go();
    }),
};

/** How a clock makes its readings from milliseconds with fractions. */
export function readingAt(milliseconds: number): Reading {
  return milliseconds as unknown as Reading;
}

/** The milliseconds that `readingAt` was given. */
export function timeOf(reading: Reading): number {
  return reading as unknown as number;
}
