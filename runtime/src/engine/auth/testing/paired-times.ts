import { randomInt } from 'node:crypto';

/** Milliseconds of two questions that were asked one after the other. */
export type Pair = readonly [one: number, other: number];

/** Two questions whose answers are to take the same time. */
export interface Questions {
  readonly one: () => Promise<unknown>;
  readonly other: () => Promise<unknown>;
  /** Done before each question and not measured, so that none finds what the one before it left. */
  readonly between?: (() => Promise<unknown>) | undefined;
}

/**
 * Asks both questions so many times. Which of the two comes first is drawn for each pair: in an order that repeats itself,
 * whatever else repeats itself takes one side. The threads of the pool compute hashes in turns, so that with a period of
 * four questions two threads would have one account for themselves, and two the other one.
 */
export async function pairedTimes(count: number, { one, other, between }: Questions): Promise<Pair[]> {
  const pairs: Pair[] = [];
  const time = async (ask: () => Promise<unknown>) => {
    await between?.();
    const began = performance.now();
    await ask();
    return performance.now() - began;
  };
  while (pairs.length < count) {
    if (randomInt(2) === 0) pairs.push([await time(one), await time(other)]);
    else {
      const first = await time(other);
      pairs.push([await time(one), first]);
    }
  }
  return pairs;
}

/**
 * How probable it is that two questions of equal time differ as much: the sum of ranks of Mann and Whitney, two-sided, whose
 * deviation is that of the order drawn within each pair. What slows down a stretch of time slows down both of a pair,
 * so that a load from outside neither makes a difference nor hides one.
 */
export function sameProbability(pairs: readonly Pair[]): number {
  const all = pairs.flatMap(([one, other], at) => [
    { time: one, at, sign: 1 },
    { time: other, at, sign: -1 },
  ]);
  all.sort((a, b) => a.time - b.time);
  const differences = pairs.map(() => 0);
  for (const [rank, { at, sign }] of all.entries()) differences[at] = (differences[at] as number) + sign * rank;
  const sum = differences.reduce((total, difference) => total + difference, 0);
  const deviation = Math.sqrt(differences.reduce((total, difference) => total + difference ** 2, 0));
  return upperTail(Math.abs(sum) / deviation) * 2;
}

/** How many times in a row times may seem to differ by chance, which each time is one in a hundred. */
const most = 3;

/** How probable it is that two questions take the same time, by so many pairs; more are asked where it seems not to be. */
export async function equalityOf(count: number, questions: Questions): Promise<number> {
  let probability = 0;
  for (let round = 0; round < most && probability <= 0.01; round++)
    probability = sameProbability(await pairedTimes(count, questions));
  return probability;
}

/** Of the normal distribution (Abramowitz and Stegun, 26.2.17). */
function upperTail(z: number): number {
  const t = 1 / (1 + 0.2316419 * z);
  const series = t * (0.31938153 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))));
  return (Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI)) * series;
}
