import { describe, expect, test } from 'vitest';
import { TestClock } from '../../../tools/harness/clock.ts';
import { Refusal } from '../refusal.ts';
import { settingsOf } from '../settings.ts';
import type { AttemptStore } from '../store/attempts.ts';
import { MemoryAttemptStore } from '../store/memory/attempts.ts';
import { Lockout } from './lockout.ts';

type Brute = Partial<ReturnType<typeof settingsOf>['brute_force']>;
type Delay = Partial<ReturnType<typeof settingsOf>['progressive_delay']>;

const standard = settingsOf({ preset: 'standard' } as Parameters<typeof settingsOf>[0]);

function lockoutOf(brute: Brute = {}, delay: Delay = {}, longestWait = 60_000, store?: AttemptStore) {
  const clock = new TestClock(Date.parse('2030-01-02T03:04:05Z'));
  const settings = {
    brute_force: { ...standard.brute_force, fail_delay: 0, max_attempts: 3, ...brute },
    progressive_delay: { ...standard.progressive_delay, ...delay },
  };
  return {
    clock,
    lockout: new Lockout({ settings, store: store ?? new MemoryAttemptStore(clock), clock, longestWait }),
  };
}

const refused = async (lockout: Lockout, ip: string, email: string | undefined) =>
  lockout.begin(ip, email).then(
    async (attempt) => {
      await attempt.withdrawn();
      return undefined;
    },
    (error: Refusal) => error.code,
  );

async function fail(lockout: Lockout, times: number, ip: string, email: string | undefined): Promise<boolean[]> {
  const locked: boolean[] = [];
  for (let at = 0; at < times; at++) locked.push(await (await lockout.begin(ip, email)).failed());
  return locked;
}

describe('a lock', () => {
  test('R-29: comes with the last of max_attempts, and ends after lockout_time', async () => {
    const { clock, lockout } = lockoutOf({ lockout_time: 60_000 });
    expect(await fail(lockout, 3, '192.0.2.1', 'ana@a.test')).toEqual([false, false, true]);
    const refusal = await lockout.begin('192.0.2.1', 'ana@a.test').catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(Refusal);
    expect(refusal).toMatchObject({
      status: 429,
      code: 'account_locked',
      message: 'Too many sign-ins failed. Sign in again after 2030-01-02T03:05:05.000Z.',
      retryAfter: 60_000,
    });
    await clock.sleep(60_000);
    expect(await fail(lockout, 1, '192.0.2.1', 'ana@a.test')).toEqual([false]);
  });

  test('S-23: of 50 tries at the same time with a wrong password at most 5 are looked at', async () => {
    const { lockout } = lockoutOf({ max_attempts: 5 });
    const codes = await Promise.all(
      Array.from({ length: 50 }, async () => {
        const attempt = await lockout.begin('192.0.2.1', 'ana@a.test').catch((error: Refusal) => error.code);
        if (typeof attempt === 'string') return attempt;
        await new Promise(setImmediate);
        await attempt.failed();
        return 'looked at';
      }),
    );
    expect(codes.filter((code) => code === 'looked at')).toHaveLength(5);
    expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(45);
    expect(await refused(lockout, '192.0.2.1', 'ana@a.test')).toBe('account_locked');
  });

  test('is forgotten with a right password before it, and with a reset', async () => {
    const { lockout } = lockoutOf();
    await fail(lockout, 2, '192.0.2.1', 'ana@a.test');
    await (await lockout.begin('192.0.2.1', 'ana@a.test')).succeeded();
    expect(await fail(lockout, 3, '192.0.2.1', 'ana@a.test')).toEqual([false, false, true]);
    await lockout.forget('192.0.2.1', 'ana@a.test');
    expect(await refused(lockout, '192.0.2.1', 'ana@a.test')).toBe(undefined);
  });

  test('is not forgotten by what is right for another account, where all accounts are one count', async () => {
    const { lockout } = lockoutOf({ track_by: 'ip' });
    await fail(lockout, 2, '192.0.2.1', 'ana@a.test');
    await (await lockout.begin('192.0.2.1', 'eve@a.test')).succeeded();
    await lockout.forget('192.0.2.1', 'eve@a.test');
    expect(await fail(lockout, 1, '192.0.2.1', 'ana@a.test')).toEqual([true]);
    expect(await refused(lockout, '192.0.2.1', 'eve@a.test')).toBe('account_locked');
  });

  test('does not come of tries that were withdrawn, and a try ends once', async () => {
    const { lockout } = lockoutOf();
    for (let at = 0; at < 5; at++) {
      const attempt = await lockout.begin('192.0.2.1', 'ana@a.test');
      await attempt.withdrawn();
      expect(await attempt.failed()).toBe(false);
      await attempt.succeeded();
    }
    await fail(lockout, 2, '192.0.2.1', 'ana@a.test');
    expect(await refused(lockout, '192.0.2.1', 'ana@a.test')).toBe(undefined);
  });

  test('does not exist where it is turned off', async () => {
    const { lockout } = lockoutOf({ enabled: false });
    expect(await fail(lockout, 10, '192.0.2.1', 'ana@a.test')).toEqual(Array(10).fill(false));
  });

  test.each([
    ['ip', [true, true, false, false]],
    ['user', [true, false, true, false]],
    ['ip+user', [true, false, false, false]],
  ] as const)('R-29: track_by = "%s"', async (track_by, locks) => {
    const { lockout } = lockoutOf({ track_by });
    await fail(lockout, 3, '192.0.2.1', 'ana@a.test');
    const others: [string, string][] = [
      ['192.0.2.1', 'ana@a.test'],
      ['192.0.2.1', 'bob@a.test'],
      ['192.0.2.2', 'ana@a.test'],
      ['192.0.2.2', 'bob@a.test'],
    ];
    const codes = await Promise.all(others.map(([ip, email]) => refused(lockout, ip, email)));
    expect(codes).toEqual(locks.map((lock) => (lock ? 'account_locked' : undefined)));
  });

  test('S-24: counts a network of IPv6 as one caller', async () => {
    const { lockout } = lockoutOf({ track_by: 'ip' });
    for (const end of ['1', 'ffff', 'abcd:1']) await fail(lockout, 1, `2001:db8:1:2::${end}`, undefined);
    expect(await refused(lockout, '2001:db8:1:2:9::9', undefined)).toBe('account_locked');
    expect(await refused(lockout, '2001:db8:1:3::1', undefined)).toBe(undefined);
  });

  test.each(['user', 'ip+user', 'ip'] as const)(
    'counts by the address where no account is named: %s',
    async (track_by) => {
      const { lockout } = lockoutOf({ track_by });
      for (const email of [undefined, '', undefined]) await fail(lockout, 1, '192.0.2.1', email);
      expect(await refused(lockout, '192.0.2.1', '')).toBe('account_locked');
      expect(await refused(lockout, '192.0.2.2', '')).toBe(undefined);
    },
  );

  test('holds no address in its keys', async () => {
    const keys: string[] = [];
    const clock = new TestClock(0);
    const inner = new MemoryAttemptStore(clock);
    const attempt: AttemptStore['attempt'] = (key, policy) => {
      keys.push(key);
      return inner.attempt(key, policy);
    };
    const store: AttemptStore = {
      attempt,
      failed: inner.failed,
      succeeded: inner.succeeded,
      withdrawn: (key) => inner.withdrawn(key),
    };
    await refused(lockoutOf({}, {}, 1, store).lockout, '192.0.2.1', 'ana@a.test');
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{64}$/)]);
  });

  test('fails closed without its store', async () => {
    const away = () => Promise.reject(new Error('away'));
    const store: AttemptStore = { attempt: away, failed: away, succeeded: away, withdrawn: away };
    await expect(lockoutOf({}, {}, 1, store).lockout.begin('192.0.2.1', 'ana@a.test')).rejects.toThrow('away');
  });
});

describe('waits', () => {
  test('R-29: fail_delay lets every failure take longer, plus or minus a quarter', async () => {
    const { clock, lockout } = lockoutOf({ fail_delay: 1_000, max_attempts: 1_000 });
    const waits: number[] = [];
    for (let at = 0; at < 200; at++) {
      const began = clock.elapsed();
      await fail(lockout, 1, '192.0.2.1', 'ana@a.test');
      waits.push(clock.elapsed() - began);
    }
    expect(Math.min(...waits)).toBeGreaterThanOrEqual(750);
    expect(Math.max(...waits)).toBeLessThanOrEqual(1_250);
    expect(Math.max(...waits) - Math.min(...waits)).toBeGreaterThan(300);
  });

  test('fail_delay holds where locking is turned off, and ends with its caller; the failure counts', async () => {
    const off = lockoutOf({ fail_delay: 1_000, enabled: false });
    await fail(off.lockout, 1, '192.0.2.1', undefined);
    expect(off.clock.elapsed()).toBeGreaterThanOrEqual(750);
    const { clock, lockout } = lockoutOf({ fail_delay: 1_000, max_attempts: 1 });
    const attempt = await lockout.begin('192.0.2.1', 'ana@a.test', AbortSignal.abort(new Error('gone')));
    expect(await attempt.failed()).toBe(true);
    expect(clock.elapsed()).toBe(0);
    expect(await refused(lockout, '192.0.2.1', 'ana@a.test')).toBe('account_locked');
  });

  test('S-22: fail_delay has the time in it that a credential was compared, however long that was', async () => {
    const { clock, lockout } = lockoutOf({ fail_delay: 1_000, max_attempts: 1_000 });
    const waitsAfter = async (took: number) => {
      const waits: number[] = [];
      for (let at = 0; at < 100; at++) {
        const began = clock.elapsed();
        await (await lockout.begin('192.0.2.1', 'ana@a.test')).failed(took);
        waits.push(clock.elapsed() - began + took);
      }
      return [Math.min(...waits), Math.max(...waits)] as const;
    };
    for (const took of [0, 100, 700]) {
      const [least, most] = await waitsAfter(took);
      expect(least).toBeGreaterThanOrEqual(750);
      expect(most).toBeLessThanOrEqual(1_250.001);
    }
    expect(await waitsAfter(1_300)).toEqual([1_300, 1_300]);
  });

  test('a success does not wait', async () => {
    const { clock, lockout } = lockoutOf({ fail_delay: 1_000 });
    await (await lockout.begin('192.0.2.1', 'ana@a.test')).succeeded();
    expect(clock.elapsed()).toBe(0);
  });

  const waitsOf = async ({ clock, lockout }: ReturnType<typeof lockoutOf>, times: number) => {
    const waits: number[] = [];
    for (let at = 0; at < times; at++) {
      const began = clock.elapsed();
      const attempt = await lockout.begin('192.0.2.1', 'ana@a.test');
      waits.push(Math.round(clock.elapsed() - began));
      await attempt.failed();
    }
    return waits;
  };

  test('R-29: progressive_delay doubles before each further try, up to its most', async () => {
    const made = lockoutOf({ max_attempts: 100, window: 3_600_000 }, { enabled: true });
    expect(await waitsOf(made, 8)).toEqual([0, 0, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  });

  test('progressive_delay has its own numbers', async () => {
    const made = lockoutOf({ max_attempts: 100 }, { enabled: true, initial: 10, multiplier: 3, max: 200 });
    expect(await waitsOf(made, 6)).toEqual([0, 0, 30, 90, 200, 200]);
  });

  test('both together are never longer than the time for an answer', async () => {
    const made = lockoutOf({ max_attempts: 100, fail_delay: 2_000, window: 3_600_000 }, { enabled: true }, 5_000);
    expect(await waitsOf(made, 5)).toEqual([0, 0, 2_000, 2_500, 2_500]);
    const short = lockoutOf({ fail_delay: 30_000 }, {}, 1_000);
    await fail(short.lockout, 1, '192.0.2.1', undefined);
    expect(short.clock.elapsed()).toBeLessThanOrEqual(1_000);
  });

  test('progressive_delay ends with its caller, and the try does not count', async () => {
    const { clock, lockout } = lockoutOf({ max_attempts: 3 }, { enabled: true });
    await fail(lockout, 2, '192.0.2.1', 'ana@a.test');
    for (let at = 0; at < 5; at++) {
      const gone = new AbortController();
      const begun = lockout.begin('192.0.2.1', 'ana@a.test', gone.signal);
      await Promise.resolve().then(() => gone.abort(new Error('gone')));
      await expect(begun).rejects.toThrow('gone');
    }
    expect(clock.elapsed()).toBe(0);
    expect(await fail(lockout, 1, '192.0.2.1', 'ana@a.test')).toEqual([true]);
  });
});
