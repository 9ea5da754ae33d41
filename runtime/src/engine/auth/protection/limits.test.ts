import { describe, expect, test } from 'vitest';
import { TokenBuckets } from '../../../platform/net/token-buckets.ts';
import { memoryLog } from '../../../service/running/testing/fakes.ts';
import { TestClock } from '../../../tools/harness/clock.ts';
import type { Refusal } from '../refusal.ts';
import { EndpointLimits, type LimitName, type LimitOptions } from './limits.ts';

type Settings = LimitOptions['settings'];

function limitsOf(settings: Partial<Record<keyof Settings, unknown>> = {}, store?: LimitOptions['store']) {
  const clock = new TestClock(0);
  const { log, lines } = memoryLog();
  const buckets = new TokenBuckets(clock);
  const away: boolean[] = [];
  const limits = new EndpointLimits({
    settings: { enabled: true, key_by: 'ip', window: 60_000, ...settings } as Settings,
    store: store ?? { processLocal: true, takeToken: (...asked) => buckets.take(...asked) },
    clock,
    log,
    storeAway: (is) => away.push(is),
  });
  return { clock, limits, lines, away };
}

/** How many of 100 requests at once are taken. */
async function taken(limits: EndpointLimits, name: LimitName, ip = '192.0.2.1', user?: string): Promise<number> {
  let count = 0;
  for (let at = 0; at < 100; at++) {
    try {
      await limits.take(name, ip, user);
      count++;
    } catch {
      // It was refused.
    }
  }
  return count;
}

const names: LimitName[] = [
  'login',
  'register',
  'change_password',
  'password_forgot',
  'password_reset',
  'refresh',
  'logout',
  'sessions',
  'other',
];

describe('limits of sign-in endpoints', () => {
  test('have numbers that suit them, each counted alone', async () => {
    const { clock, limits } = limitsOf();
    const counts = async () => {
      const entries: [LimitName, number][] = [];
      for (const name of names) entries.push([name, await taken(limits, name)]);
      return Object.fromEntries(entries);
    };
    const full = {
      login: 3,
      register: 5,
      change_password: 2,
      password_forgot: 2,
      password_reset: 3,
      refresh: 10,
      logout: 10,
      sessions: 10,
      other: 10,
    };
    expect(await counts()).toEqual(full);
    await clock.sleep(24_000);
    expect(await counts()).toMatchObject({ login: 2, register: 4, change_password: 1, refresh: 10 });
  });

  test('R-29: are those that are written', async () => {
    const { clock, limits } = limitsOf({
      rate: 7,
      burst: 4,
      window: 10_000,
      login: { rate: 6 },
      register: { rate: 10, burst: 1, window: 1_000 },
      sessions: { burst: 2 },
      refresh: { window: 1_000 },
    });
    expect(await taken(limits, 'login')).toBe(6);
    expect(await taken(limits, 'register')).toBe(1);
    expect(await taken(limits, 'sessions')).toBe(2);
    expect(await taken(limits, 'refresh')).toBe(10);
    expect(await taken(limits, 'other')).toBe(4);
    expect(await taken(limits, 'password_forgot')).toBe(2);
    await clock.sleep(1_000);
    expect(await taken(limits, 'register')).toBe(1);
    expect(await taken(limits, 'refresh')).toBe(10);
    expect(await taken(limits, 'login')).toBe(0);
    expect(await taken(limits, 'password_forgot')).toBe(0);
    await clock.sleep(9_000);
    expect(await taken(limits, 'login')).toBe(6);
    expect(await taken(limits, 'sessions')).toBe(2);
  });

  test('say when to come back', async () => {
    const { clock, limits } = limitsOf({ login: { rate: 2, burst: 1 } });
    await limits.take('login', '192.0.2.1', undefined);
    await clock.sleep(10_000);
    expect(() => limits.take('login', '192.0.2.1', undefined)).toThrow(
      expect.objectContaining({ status: 429, code: 'rate_limited', retryAfter: 20_000 }) as Refusal,
    );
  });

  test.each([
    ['ip', [0, 0, 1, 1]],
    ['user', [0, 1, 0, 1]],
    ['ip+user', [0, 1, 1, 1]],
  ] as const)('R-29: key_by = "%s"', async (key_by, left) => {
    const { limits } = limitsOf({ key_by, sessions: { rate: 1 } });
    await taken(limits, 'sessions', '192.0.2.1', 'ana');
    const callers: [string, string][] = [
      ['192.0.2.1', 'ana'],
      ['192.0.2.1', 'bob'],
      ['192.0.2.2', 'ana'],
      ['192.0.2.3', 'eve'],
    ];
    const counts: number[] = [];
    for (const [ip, user] of callers) counts.push(await taken(limits, 'sessions', ip, user));
    expect(counts).toEqual(left);
  });

  test('S-24: hold for a network of IPv6, and for the address of those that are not signed in', async () => {
    const { limits } = limitsOf({ key_by: 'user' });
    expect(await taken(limits, 'login', '2001:db8::1')).toBe(3);
    expect(await taken(limits, 'login', '2001:db8::2:1')).toBe(0);
    expect(await taken(limits, 'login', '2001:db8:0:1::1')).toBe(3);
  });
});

describe('a shared store', () => {
  test('counts for all processes', async () => {
    const asked: unknown[] = [];
    const { limits, away } = limitsOf(
      {},
      {
        processLocal: false,
        takeToken: async (...numbers) => {
          asked.push(numbers);
          return { allowed: false, remaining: 0, retryAfter: 1_500 };
        },
      },
    );
    await expect(limits.take('login', '192.0.2.1', undefined)).rejects.toMatchObject({ retryAfter: 1_500 });
    expect(asked).toEqual([['login:ip:192.0.2.1', 5 / 60, 3]]);
    expect(away).toEqual([false]);
  });

  test('that is unavailable lets each process limit with the same numbers, and it is counted', async () => {
    const { limits, away, lines } = limitsOf(
      {},
      { processLocal: false, takeToken: () => Promise.reject(new Error('connection refused')) },
    );
    expect(await taken(limits, 'login')).toBe(3);
    expect(away.length).toBe(100);
    expect(away.every(Boolean)).toBe(true);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ level: 'warn', fields: { connector: 'auth.storage' } });
  });

  test('that answers nothing does the same', async () => {
    const { limits, away } = limitsOf({}, { processLocal: false, takeToken: () => new Promise(() => undefined) });
    expect(await taken(limits, 'login')).toBe(3);
    expect(away.every(Boolean)).toBe(true);
  });
});
