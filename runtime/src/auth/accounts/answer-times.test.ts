import { describe, expect, test } from 'vitest';
import { ana, authBed, cheapHash } from '../testing/bed.ts';

const lines = `
  jwt {
    secret = "a secret of at least thirty-two bytes"
  }
  password {
    ${cheapHash}
  }
  security {
    brute_force {
      fail_delay = "0s"
    }
  }
  hooks {
    on_password_reset {
      flow = "f"
    }
  }`;

const samples = 200;
/** How many times in a row times may seem to differ by chance, which each time is one in a hundred. */
const most = 3;

/** Milliseconds of questions about a known and an unknown account, in turns. */
async function times(ask: (email: string, ip: string) => Promise<unknown>): Promise<[number[], number[]]> {
  const [known, unknown]: [number[], number[]] = [[], []];
  for (let at = 0; at < samples; at++) {
    const ip = `198.51.${at >> 8}.${at & 255}`;
    const order = [
      [known, ana],
      [unknown, 'bob@example.test'],
    ] as const;
    for (const [kept, email] of at % 2 === 0 ? order : order.toReversed()) {
      const began = performance.now();
      await ask(email, ip);
      kept.push(performance.now() - began);
    }
  }
  return [known, unknown];
}

/** How probable it is that samples of one distribution differ as much (Mann-Whitney, two-sided, normal approximation). */
function sameProbability(one: readonly number[], other: readonly number[]): number {
  const all = [...one.map((value) => ({ value, own: true })), ...other.map((value) => ({ value, own: false }))];
  all.sort((a, b) => a.value - b.value);
  const ranks = all.reduce((sum, { own }, at) => (own ? sum + at + 1 : sum), 0);
  const u = ranks - (one.length * (one.length + 1)) / 2;
  const mean = (one.length * other.length) / 2;
  const deviation = Math.sqrt((one.length * other.length * (one.length + other.length + 1)) / 12);
  return upperTail(Math.abs(u - mean) / deviation) * 2;
}

/** Of the normal distribution (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}

async function lookTheSame(ask: (email: string, ip: string) => Promise<unknown>): Promise<number[]> {
  const seen: number[] = [];
  for (let run = 0; run < most; run++) {
    seen.push(sameProbability(...(await times(ask))));
    if ((seen.at(-1) as number) > 0.01) break;
  }
  return seen;
}

describe('the statistics', () => {
  test('distinguish different times from equal ones', () => {
    const times = Array.from({ length: samples }, (_, at) => (at * 7919) % 1_000);
    expect(sameProbability(times, times.toReversed())).toBeGreaterThan(0.9);
    expect(
      sameProbability(
        times,
        times.map((time) => time + 500),
      ),
    ).toBeLessThan(0.01);
  });
});

describe('S-22: the time of an answer is the same with and without an account', () => {
  test('of a sign-in with a wrong password, without a delay', async () => {
    const bed = await authBed(lines, { apart: true });
    await bed.register();
    const login = (email: string, ip: string) => bed.login('Wrong-Horse-7', { email, ip });
    for (const email of [ana, 'bob@example.test']) expect((await login(email, '203.0.113.1')).status).toBe(401);
    expect((await lookTheSame(login)).at(-1)).toBeGreaterThan(0.01);
  }, 600_000);

  test('of a question for a token that resets a password', async () => {
    const bed = await authBed(lines, { apart: true });
    await bed.register();
    const forgot = (email: string, ip: string) => bed.ask('password_forgot', { ip, body: { email } });
    for (const email of [ana, 'bob@example.test']) expect((await forgot(email, '203.0.113.1')).status).toBe(200);
    expect((await lookTheSame(forgot)).at(-1)).toBeGreaterThan(0.01);
  });
});
