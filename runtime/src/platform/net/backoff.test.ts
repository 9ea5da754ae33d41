import { expect, test } from 'vitest';
import { type Backoff, backoffDelay } from './backoff.ts';

const waits = (kind: Backoff['kind'], maxDelay = 1000) =>
  [1, 2, 3, 4].map((retry) => backoffDelay({ kind, delay: 100, maxDelay }, retry));

test('waits stay, grow by steps or double, up to the cap', () => {
  expect([waits('constant'), waits('linear'), waits('exponential'), waits('exponential', 250)]).toEqual([
    [100, 100, 100, 100],
    [100, 200, 300, 400],
    [100, 200, 400, 800],
    [100, 200, 250, 250],
  ]);
  expect(backoffDelay({ kind: 'exponential', delay: 100, maxDelay: 5000 }, 5000)).toBe(5000);
});

test('R-91: jitter spreads a wait by 20 percent and never beyond the cap', () => {
  const spread = (random: number, maxDelay: number) =>
    backoffDelay({ kind: 'constant', delay: 1000, maxDelay, jitter: true }, 1, () => random);
  expect([spread(0, 5000), spread(0.5, 5000), spread(1, 5000), spread(1, 1000)]).toEqual([800, 1000, 1200, 1000]);
});

test('waits are whole milliseconds, however often something is repeated', () => {
  const waits = (backoff: Backoff) => [1, 2, 3, 5000].map((retry) => backoffDelay(backoff, retry));
  expect([
    waits({ kind: 'exponential', delay: 0, maxDelay: 5000 }),
    waits({ kind: 'exponential', delay: 25, factor: 1.5, maxDelay: 100 }),
  ]).toEqual([
    [0, 0, 0, 0],
    [25, 38, 56, 100],
  ]);
});
