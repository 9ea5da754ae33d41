import type { RateLimiter } from '../../../foundation/contracts/http.ts';

/** A limiter that admits everything, and what a test says otherwise. */
export function limiter(over: Partial<RateLimiter> = {}): RateLimiter {
  return {
    keyExtractor: 'ip',
    excludedPaths: ['/health'],
    headers: true,
    burst: 200,
    shared: false,
    take: () => ({ allowed: true, remaining: 7.9, retryAfter: 0 }),
    ...over,
  };
}
