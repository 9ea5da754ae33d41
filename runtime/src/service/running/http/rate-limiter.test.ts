import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Storage, TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { TokenBuckets } from '../../../platform/net/token-buckets.ts';
import { type RateLimitSettings, serviceSettings } from '../settings.ts';
import { memoryLog } from '../testing/fakes.ts';
import { ManualClock } from '../testing/manual-clock.ts';
import { createRateLimiter } from './rate-limiter.ts';

describe('token buckets', () => {
  test('a full bucket gives its size at once, then one token each interval', async () => {
    const clock = new ManualClock();
    const buckets = new TokenBuckets(clock);
    const take = () => buckets.take('a', 10, 3);
    expect([take(), take(), take(), take()]).toEqual([
      { allowed: true, remaining: 2, retryAfter: 0 },
      { allowed: true, remaining: 1, retryAfter: 0 },
      { allowed: true, remaining: 0, retryAfter: 100 },
      { allowed: false, remaining: 0, retryAfter: 100 },
    ]);
    expect(buckets.take('b', 10, 3).allowed).toBe(true);
    await clock.pass(99);
    expect(take()).toEqual({ allowed: false, remaining: 0, retryAfter: 1 });
    await clock.pass(1);
    expect(take().allowed).toBe(true);
    await clock.pass(10_000);
    expect(take()).toEqual({ allowed: true, remaining: 2, retryAfter: 0 });
  });

  test('never gives more than the size and the tokens added since', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 50 }),
        fc.integer({ min: 1, max: 20 }),
        fc.array(fc.integer({ min: 0, max: 300 }), { minLength: 1, maxLength: 60 }),
        async (rate, burst, waits) => {
          const clock = new ManualClock();
          const buckets = new TokenBuckets(clock);
          let given = 0;
          for (const wait of waits) {
            await clock.pass(wait);
            if (buckets.take('k', rate, burst).allowed) given++;
            expect(given).toBeLessThanOrEqual(burst + Math.floor((clock.elapsed() * rate) / 1000 + 1e-6));
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  test('holds a bounded number of buckets and removes those that are full again', async () => {
    const clock = new ManualClock();
    const buckets = new TokenBuckets(clock, 100);
    for (let count = 0; count < 1_000; count++) buckets.take(`caller ${count}`, 1, 5);
    expect(buckets.size).toBe(100);
    await clock.pass(120_000);
    buckets.take('new', 1, 5);
    expect(buckets.size).toBe(1);
  });
});

const settings: RateLimitSettings = {
  requestsPerSecond: 10,
  burst: 4,
  keyExtractor: 'ip',
  excludedPaths: ['/health'],
  headers: true,
  storage: undefined,
  written: true,
};

function limiter(own: Partial<RateLimitSettings>, share = 1, storage?: Pick<Storage, 'takeToken'>) {
  const clock = new ManualClock();
  const { log, lines } = memoryLog();
  const away: boolean[] = [];
  const created = createRateLimiter({ ...settings, ...own }, share, {
    buckets: new TokenBuckets(clock),
    clock,
    log,
    storage: () => storage as Storage | undefined,
    storeAway: (value) => away.push(value),
  });
  return { clock, lines, away, take: () => created.take('k'), limiter: created };
}

test('the default limit is divided among workers, a configured one is not', () => {
  expect(limiter({ written: false }, 1 / 4).limiter.burst).toBe(1);
  expect(limiter({ written: true }, 1 / 4).limiter.burst).toBe(4);
  expect(serviceSettings(undefined, 'development').rateLimit).toBe(undefined);
  expect(serviceSettings(undefined, 'production').rateLimit).toMatchObject({ burst: 200, written: false });
});

describe('S-96: the store of a shared limit', () => {
  const answer: TokenAnswer = { allowed: true, remaining: 7, retryAfter: 0 };

  test('decides while it can be reached', async () => {
    const asked: unknown[] = [];
    const { take, away } = limiter({ storage: 'kv' }, 1, {
      takeToken: async (...parameters) => {
        asked.push(parameters);
        return answer;
      },
    });
    expect(await take()).toEqual(answer);
    expect(asked).toEqual([['svc:ratelimit:k', 10, 4]]);
    expect(away).toEqual([false]);
  });

  const failures: Record<string, Storage['takeToken']> = {
    rejects: () => Promise.reject(new Error('connection lost')),
    throws: () => {
      throw new Error('broken');
    },
    hangs: () => new Promise(() => undefined),
    'cannot count': undefined,
  };

  test.each(Object.keys(failures))('%s: the process limits alone with the same numbers', async (kind) => {
    const { clock, take, away, lines } = limiter({ storage: 'kv', requestsPerSecond: 0.001 }, 1, {
      takeToken: failures[kind],
    });
    const first = take();
    await clock.pass(1_000);
    expect((await first).allowed).toBe(true);
    const rest = await Promise.all([take(), take(), take(), take(), take()]);
    expect(rest.map(({ allowed }) => allowed)).toEqual([true, true, true, false, false]);
    expect(away.every(Boolean)).toBe(true);
    expect(lines.map(({ level, message }) => `${level} ${message}`)).toEqual([
      'warn rate limit store is unavailable, each process limits alone',
    ]);
  });

  test('is asked again after a pause', async () => {
    let works = false;
    const { clock, take, away } = limiter({ storage: 'kv' }, 1, {
      takeToken: async () => {
        if (!works) throw new Error('away');
        return answer;
      },
    });
    await take();
    works = true;
    expect((await take()).remaining).not.toBe(7);
    await clock.pass(1_000);
    expect(await take()).toEqual(answer);
    expect(away).toEqual([true, true, false]);
  });
});
