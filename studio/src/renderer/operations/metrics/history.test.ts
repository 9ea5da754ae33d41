import type { MetricsEntry } from '@svc/protocol/wire';
import { describe, expect, test } from 'vitest';
import { figuresOf, type Look, looksWith, processorShare, quantile, ratesOf } from './history.ts';
import { shownMemory, shownQuantile, shownRate, shownSeconds } from './look.ts';

const bounds = [0.01, 0.1, 1];

interface At {
  readonly at: number;
  readonly succeeded?: number;
  readonly failed?: number;
  readonly durations?: readonly number[];
  readonly uptimeSeconds?: number;
  readonly cpuSeconds?: number;
}

function look({ at, succeeded = 0, failed = 0, durations = [], uptimeSeconds = at / 1000, cpuSeconds = 0 }: At): Look {
  const flow = { flow: 'f', succeeded, failed, dropped: 0, inFlight: 2, seconds: 0, durations };
  const entry: MetricsEntry = {
    bounds,
    flows: [flow, { ...flow, flow: 'g', succeeded: 0, failed: 0, inFlight: 0, durations: [] }],
    sources: [],
    process: {
      ...{ processes: 1, uptimeSeconds, memoryBytes: 1, heapBytes: 1, cpuSeconds },
      ...{ lagSeconds: 0, requestsInFlight: 0, tasks: 0 },
    },
  };
  return { at, entry };
}

describe('rates of flows', () => {
  test('are counted between looks; a gap in which nothing was asked begins again', () => {
    const looks = [
      look({ at: 0, succeeded: 10 }),
      look({ at: 1_000, succeeded: 20 }),
      look({ at: 3_000, succeeded: 30, failed: 4 }),
      look({ at: 30_000, succeeded: 57, failed: 4 }),
    ];
    expect(ratesOf(looks, 'f')).toEqual([
      { at: 1_000, handled: 10, failed: 0, isFirst: true },
      { at: 3_000, handled: 7, failed: 2, isFirst: false },
      { at: 30_000, handled: 1, failed: 0, isFirst: true },
    ]);
    expect(ratesOf(looks)).toEqual(ratesOf(looks, 'f'));
    expect(ratesOf(looks, 'g').every(({ handled }) => handled === 0)).toBe(true);
    // A process that ended has counted less.
    expect(ratesOf([look({ at: 0, succeeded: 10 }), look({ at: 1_000, succeeded: 3 })], 'f')[0]?.handled).toBe(0);
  });

  test('of now are those of the last seconds, and need two looks', () => {
    expect(figuresOf([]).handledRate).toBeUndefined();
    expect(figuresOf([look({ at: 0, succeeded: 10 })], 'f')).toMatchObject({ handledRate: undefined, handled: 10 });
    const looks = [0, 5_000, 10_000, 15_000].map((at) =>
      look({ at, succeeded: at < 10_000 ? 0 : at - 5_000, failed: at / 1_000 }),
    );
    expect(figuresOf(looks, 'f')).toMatchObject({
      handledRate: expect.closeTo(1_001),
      failedRate: 1,
      failed: 15,
      inFlight: 2,
    });
  });

  test('looks are kept for two minutes, and forgotten when the service was started again', () => {
    let looks: readonly Look[] = [];
    for (let at = 0; at <= 300_000; at += 1_500) looks = looksWith(looks, look({ at }));
    expect([looks.length, looks[0]?.at]).toEqual([87, 171_000]);
    looks = looksWith(looks, look({ at: 301_500, uptimeSeconds: 1 }));
    expect(looks.map(({ at }) => at)).toEqual([301_500]);
  });
});

describe('durations', () => {
  test('are read from buckets on a straight line', () => {
    expect(quantile([0, 10, 0, 0], bounds, 0.5)).toBeCloseTo(0.055);
    expect(quantile([5, 5, 0, 0], bounds, 0.5)).toBeCloseTo(0.01);
    expect(quantile([5, 0, 5, 0], bounds, 0.95)).toBeCloseTo(0.91);
    expect(quantile([0, 0, 0, 3], bounds, 0.5)).toBe(1);
    expect(quantile([], bounds, 0.5)).toBeUndefined();
    expect(quantile([0, 0, 0, 0], bounds, 0.5)).toBeUndefined();
  });

  test('are those of the last two minutes, else those since the start', () => {
    const before = look({ at: 0, durations: [100, 0, 0, 0] });
    expect(figuresOf([before, look({ at: 1_000, durations: [100, 0, 8, 0] })], 'f')).toMatchObject({
      median: 0.55,
      mean: 0,
      isOld: false,
    });
    expect(figuresOf([before, look({ at: 1_000, durations: [100, 0, 0, 0] })], 'f')).toMatchObject({
      median: 0.005,
      isOld: true,
    });
    expect(figuresOf([before], 'g')).toMatchObject({ median: undefined, p95: undefined });
  });
});

test('the share of a processor is what was used between looks', () => {
  expect(processorShare([look({ at: 0 })])).toBeUndefined();
  expect(processorShare([look({ at: 0, cpuSeconds: 1 }), look({ at: 2_000, cpuSeconds: 2 })])).toBe(0.5);
});

test('numbers are short', () => {
  expect([0, 0.01, 0.42, 3, 9.96, 34.4, 1_240].map(shownRate)).toEqual([
    '0',
    '<0.1',
    '0.4',
    '3',
    '10',
    '34',
    '1\u2009240',
  ]);
  expect([0.0008, 0.012, 1.42].map(shownSeconds)).toEqual(['0.8 ms', '12 ms', '1.4 s']);
  expect([0.004, 0.055, 1].map((seconds) => shownQuantile(seconds, bounds))).toEqual(['<10 ms', '55 ms', '>1 s']);
  expect([50_331_648, 1_288_490_188].map(shownMemory)).toEqual(['48 MB', '1.2 GB']);
});
