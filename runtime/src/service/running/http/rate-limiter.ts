import type { RateLimiter } from '../../../foundation/contracts/http.ts';
import type { Storage } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { sharedTake } from '../../../platform/net/store-limit.ts';
import type { TokenBuckets } from '../../../platform/net/token-buckets.ts';
import type { RateLimitSettings } from '../settings.ts';

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

/**
 * The service's rate limiter (docs/specification/state.md#rate-limits). `share` is the part of the default limit that
 * this process has.
 */
export function createRateLimiter(settings: RateLimitSettings, share: number, context: LimiterContext): RateLimiter {
  const { burst, keyExtractor, excludedPaths, headers, storage, written } = settings;
  const part = written ? 1 : share;
  const rate = settings.requestsPerSecond * part;
  const size = Math.max(1, Math.round(burst * part));
  const local = (key: string) => context.buckets.take(key, rate, size);
  const shared = { prefix: 'svc:ratelimit:', rate, burst: size, local };
  const take = storage === undefined ? local : sharedTake({ ...context, ...shared, connector: storage });
  return { keyExtractor, excludedPaths, headers, burst: size, shared: storage !== undefined, take };
}
