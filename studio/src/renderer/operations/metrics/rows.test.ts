import type { MetricsEntry } from '@svc/protocol/wire';
import { expect, test } from 'vitest';
import { arranged, clicked, rowsOf } from './rows.ts';

const flow = (name: string, succeeded: number, failed = 0) => ({
  ...{ flow: name, succeeded, failed, dropped: 0, inFlight: 0, seconds: 0 },
  durations: [],
});
const entry = (factor: number): MetricsEntry => ({
  bounds: [1],
  flows: [flow('create', 10 * factor), flow('keep', 20 * factor, factor), flow('also', 0)],
  sources: [{ connector: 'q', flows: ['keep', 'also'], retried: 3, rejected: 1, dropped: 0 }],
  process: {
    ...{ processes: 1, uptimeSeconds: 1, memoryBytes: 1, heapBytes: 1, cpuSeconds: 1 },
    ...{ lagSeconds: 0, requestsInFlight: 0, tasks: 0 },
  },
});
const rows = rowsOf(
  [
    { at: 0, entry: entry(0) },
    { at: 1_000, entry: entry(1) },
  ],
  entry(1),
);
const names = (...[text, order]: [string, Parameters<typeof arranged>[2]]) =>
  arranged(rows, text, order).map((row) => row.flow);

test('a flow has its own rates, and what its source tries again', () => {
  expect(
    rows.map(({ flow, handledRate, failedRate, retried, sharedSource }) => [
      flow,
      handledRate,
      failedRate,
      retried,
      sharedSource,
    ]),
  ).toEqual([
    ['create', 10, 0, undefined, undefined],
    ['keep', 21, 1, 4, 'q'],
    ['also', 0, 0, 4, 'q'],
  ]);
});

test('rows are filtered by name and sorted by a column, in the order of names where they are equal', () => {
  expect(names('', { by: 'rate', isDescending: true })).toEqual(['keep', 'create', 'also']);
  expect(names('', { by: 'flow', isDescending: false })).toEqual(['also', 'create', 'keep']);
  expect(names('', { by: 'median', isDescending: true })).toEqual(['also', 'create', 'keep']);
  expect(names(' KE ', { by: 'rate', isDescending: true })).toEqual(['keep']);
});

test('a click on a head sorts by it, and turns the order on the next click', () => {
  const byRate = { by: 'rate', isDescending: true } as const;
  expect(clicked(byRate, 'rate')).toEqual({ by: 'rate', isDescending: false });
  expect(clicked(byRate, 'flow')).toEqual({ by: 'flow', isDescending: false });
  expect(clicked(byRate, 'errors')).toEqual({ by: 'errors', isDescending: true });
});
