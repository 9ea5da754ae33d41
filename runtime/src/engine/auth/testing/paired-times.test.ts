import { describe, expect, test } from 'vitest';
import { PasswordHashes } from '../passwords/hash.ts';
import { type Pair, pairedTimes, sameProbability } from './paired-times.ts';

const count = 200;
const tries = 400;

/** Numbers from 0 to 1, the same ones for the same seed (mulberry32). */
function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Of so many experiments, the part in which a difference is found. */
function found(pairOf: (at: number, random: () => number) => Pair, seed: number): number {
  const random = seeded(seed);
  const seen = Array.from({ length: tries }, () =>
    sameProbability(Array.from({ length: count }, (_, at) => pairOf(at, random))),
  );
  return seen.filter((probability) => probability < 0.01).length / tries;
}

/** Mostly little more than the work itself, sometimes much: with a mean and a deviation of one. */
const noise = (random: () => number) => -Math.log(1 - random());
/** Sixteen pairs without a load from outside, sixteen with one. */
const load = (at: number) => 5 * ((at >> 4) & 1);

describe('times of paired questions', () => {
  test('that are equal differ by chance as often as said', () => {
    expect(found((_, random) => [noise(random), noise(random)], 1)).toBeLessThan(0.03);
    expect(found((at, random) => [noise(random) + load(at), noise(random) + load(at)], 2)).toBeLessThan(0.03);
  });

  test('of which one is slower by a third of a deviation are different, whatever the load is', () => {
    expect(found((_, random) => [noise(random) + 0.35, noise(random)], 3)).toBeGreaterThan(0.98);
    expect(found((at, random) => [noise(random) + load(at), noise(random) + load(at) + 0.35], 4)).toBeGreaterThan(0.98);
  });

  test('are asked in no order that repeats itself: of threads that take turns each computes for both', async () => {
    const turns = { one: [0, 0, 0, 0], other: [0, 0, 0, 0] };
    let turn = 0;
    const asked = (side: 'one' | 'other') => async () => {
      const thread = turn++ % 4;
      turns[side][thread] = (turns[side][thread] as number) + 1;
    };
    expect(await pairedTimes(count, { one: asked('one'), other: asked('other') })).toHaveLength(count);
    expect(turn).toBe(2 * count);
    expect(Math.min(...turns.one, ...turns.other)).toBeGreaterThan(20);
  });

  test('of a password that is hashed twice for one account are different', async () => {
    const hashes = new PasswordHashes({ memory: 1_024, iterations: 2, parallelism: 1, max_waiting: 1 });
    const one = () => hashes.verify('Wrong-Horse-7', undefined);
    const other = async () => {
      await one();
      await one();
    };
    expect(sameProbability(await pairedTimes(count, { one, other }))).toBeLessThan(0.01);
  });
});
