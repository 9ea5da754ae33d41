import type { RateLimiter, Storage, TokenAnswer } from '../connectors/contract.ts';
import type { TokenBuckets } from '../net/token-buckets.ts';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import type { RateLimitSettings } from './settings.ts';

/** What a limiter needs besides its settings. */
export interface LimiterContext {
  readonly buckets: TokenBuckets;
  readonly clock: Clock;
  readonly log: Log;
  /** The shared store; undefined as long as its connector is not open. */
  readonly storage: () => Storage | undefined;
  /** A request was limited by this process alone although a store is configured. */
  readonly storeAway: (away: boolean) => void;
}

/** Longest wait for the shared store, and how long it is left alone after it failed, in milliseconds. */
const storeTimeout = 1_000;
const storePause = 1_000;

/** The service's rate limiter (supplement-flows 7.5). `share` is the part of an unwritten limit that this process has. */
export function createRateLimiter(settings: RateLimitSettings, share: number, context: LimiterContext): RateLimiter {
  const { burst, keyExtractor, excludedPaths, headers, storage, written } = settings;
  const part = written ? 1 : share;
  const rate = settings.requestsPerSecond * part;
  const size = Math.max(1, Math.round(burst * part));
  const local = (key: string) => context.buckets.take(key, rate, size);
  const take = storage === undefined ? local : sharedTake(storage, rate, size, local, context);
  return { keyExtractor, excludedPaths, headers, burst: size, take };
}

/**
 * Asks the shared store. While it is away every process limits with the same numbers, which is counted and makes the
 * service degraded (decisions 17): the limit then holds per process, never not at all.
 */
function sharedTake(
  connector: string,
  rate: number,
  burst: number,
  local: (key: string) => TokenAnswer,
  context: LimiterContext,
): (key: string) => TokenAnswer | Promise<TokenAnswer> {
  const { clock, log } = context;
  let leaveAloneUntil = Number.NEGATIVE_INFINITY;
  let away = false;
  const fallBack = (key: string, reason: unknown): TokenAnswer => {
    leaveAloneUntil = clock.elapsed() + storePause;
    if (!away) log.warn('rate limit store is away, each process limits alone', { connector, error: reason });
    away = true;
    context.storeAway(true);
    return local(key);
  };
  const ask = async (key: string): Promise<TokenAnswer> => {
    const stop = new AbortController();
    try {
      const takeToken = context.storage()?.takeToken;
      if (takeToken === undefined) throw new Error(`connector "${connector}" cannot count tokens`);
      const answer = await Promise.race([
        takeToken.call(context.storage(), `svc:ratelimit:${key}`, rate, burst),
        clock.sleep(storeTimeout, stop.signal).then(() => {
          throw new Error(`no answer within ${storeTimeout} ms`);
        }),
      ]);
      if (away) log.info('rate limit store is back', { connector });
      away = false;
      context.storeAway(false);
      return answer;
    } catch (error) {
      return fallBack(key, error);
    } finally {
      stop.abort();
    }
  };
  return (key) => {
    if (clock.elapsed() >= leaveAloneUntil) return ask(key);
    context.storeAway(true);
    return local(key);
  };
}
