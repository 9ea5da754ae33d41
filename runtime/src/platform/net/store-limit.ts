import type { Storage, TokenAnswer } from '../../foundation/contracts/storage.ts';
import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';

/** A limit that several processes share through a store. */
export interface SharedLimit {
  /** The cache connector, for messages. */
  readonly connector: string;
  /** The store; undefined as long as its connector is not open. */
  readonly storage: () => Pick<Storage, 'takeToken'> | undefined;
  /** Put before every key. */
  readonly prefix: string;
  /** Tokens that come back per second, and the most there are. */
  readonly rate: number;
  readonly burst: number;
  /** Limits with the same numbers in this process alone. */
  readonly local: (key: string) => TokenAnswer;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with every answer: whether it was given without the store. */
  readonly storeAway: (away: boolean) => void;
}

/** Longest wait for the shared store, and how long it is not used after it failed, in milliseconds. */
const storeTimeout = 1_000;
const storePause = 1_000;

/**
 * Asks the shared store. While it is unavailable every process limits with the same numbers, which is counted and makes
 * the service degraded (docs/specification/state.md#fail-closed): the limit then holds per process, never not at all.
 */
export function sharedTake(limit: SharedLimit): (key: string) => TokenAnswer | Promise<TokenAnswer> {
  const { connector, storage, prefix, rate, burst, local, clock, log, storeAway } = limit;
  let leaveAloneUntil = Number.NEGATIVE_INFINITY;
  let away = false;
  const fallBack = (key: string, reason: unknown): TokenAnswer => {
    leaveAloneUntil = clock.elapsed() + storePause;
    if (!away) log.warn('rate limit store is unavailable, each process limits alone', { connector, error: reason });
    away = true;
    storeAway(true);
    return local(key);
  };
  const ask = async (key: string): Promise<TokenAnswer> => {
    const stop = new AbortController();
    try {
      const store = storage();
      if (store?.takeToken === undefined) throw new Error(`connector "${connector}" cannot count tokens`);
      const answer = await Promise.race([
        store.takeToken(prefix + key, rate, burst),
        clock.sleep(storeTimeout, stop.signal).then(() => {
          throw new Error(`no answer within ${storeTimeout} ms`);
        }),
      ]);
      if (away) log.info('rate limit store is back', { connector });
      away = false;
      storeAway(false);
      return answer;
    } catch (error) {
      return fallBack(key, error);
    } finally {
      stop.abort();
    }
  };
  return (key) => {
    if (clock.elapsed() >= leaveAloneUntil) return ask(key);
    storeAway(true);
    return local(key);
  };
}
