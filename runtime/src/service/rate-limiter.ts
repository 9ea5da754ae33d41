import type { RateLimiter, Storage, TokenAnswer } from '../connectors/contract.ts';
import type { Clock } from '../observe/clock.ts';
import type { Log } from '../observe/log.ts';
import type { RateLimitSettings } from './settings.ts';

/** Most buckets held; beyond it the one that was used longest ago is forgotten. */
const mostBuckets = 100_000;
const sweepEvery = 60_000;

/**
 * Token buckets by key, kept as the generic cell rate algorithm does: one number each, the time at which the bucket
 * will be full again. Buckets survive a reload; rate and size come with each question.
 */
export class TokenBuckets {
  readonly #clock: Clock;
  readonly #most: number;
  readonly #fullAt = new Map<string, number>();
  #swept = 0;

  constructor(clock: Clock, most = mostBuckets) {
    this.#clock = clock;
    this.#most = most;
  }

  get size(): number {
    return this.#fullAt.size;
  }

  take(key: string, ratePerSecond: number, burst: number): TokenAnswer {
    const now = this.#clock.elapsed();
    if (now - this.#swept > sweepEvery) this.#sweep(now);
    const perToken = 1000 / ratePerSecond;
    const size = perToken * Math.max(1, burst);
    const known = this.#fullAt.get(key);
    const fullAt = Math.max(known ?? now, now) + perToken;
    const free = size - (fullAt - now);
    // A hair's breadth, so that a token due exactly now is not refused by the rounding of fractions.
    if (free < -1e-6) return { allowed: false, remaining: 0, retryAfter: -free };
    if (known === undefined) {
      if (this.#fullAt.size >= this.#most) this.#forgetOldest(now);
    } else this.#fullAt.delete(key);
    this.#fullAt.set(key, fullAt);
    const remaining = Math.floor(free / perToken + 1e-9);
    return { allowed: true, remaining, retryAfter: remaining > 0 ? 0 : Math.max(0, perToken - free) };
  }

  #sweep(now: number): void {
    this.#swept = now;
    for (const [key, fullAt] of this.#fullAt) if (fullAt <= now) this.#fullAt.delete(key);
  }

  #forgetOldest(now: number): void {
    this.#sweep(now);
    if (this.#fullAt.size < this.#most) return;
    for (const key of this.#fullAt.keys()) return void this.#fullAt.delete(key);
  }
}

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
