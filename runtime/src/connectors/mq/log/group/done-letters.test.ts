import { describe, expect, test } from 'vitest';
import { readDoneAhead } from './done-ahead.ts';
import { doneWith } from './done-letters.ts';
import { countsOf } from './figures.ts';

const ahead = (open: readonly number[], until: number) => ({ until: BigInt(until), open: open.map(BigInt) });

describe('what is kept of dead letters that are done', () => {
  test('the offset moves while nothing before it is left', () => {
    expect(doneWith(0n, undefined, undefined, [])).toEqual({ offset: 1n, metadata: '' });
    expect(doneWith(5n, 3n, undefined, [])).toEqual({ offset: 6n, metadata: '' });
    expect(doneWith(1n, 1n, ahead([1], 4), [])).toEqual({ offset: 4n, metadata: '' });
  });

  test('what is left before it stays open, what others left too, and is read again as it was written', () => {
    const first = doneWith(4n, 1n, undefined, [1n, 3n]);
    expect(first).toEqual({ offset: 1n, metadata: expect.stringMatching(/^svc:1:/) });
    const kept = readDoneAhead(first?.metadata, 1n);
    expect(kept).toEqual(ahead([1, 3], 5));
    const second = doneWith(6n, 1n, kept, [1n, 3n, 5n]);
    expect(readDoneAhead(second?.metadata, 1n)).toEqual(ahead([1, 3, 5], 7));
    expect(doneWith(1n, 1n, kept, [])).toEqual({ offset: 3n, metadata: expect.stringMatching(/^svc:1:/) });
  });

  test('more than the brokers keep beside an offset is not begun', () => {
    const left = Array.from({ length: 2_000 }, (_, at) => BigInt(at));
    expect(doneWith(2_000n, 0n, undefined, left)).toBeUndefined();
    expect(doneWith(500n, 0n, undefined, left)).toEqual({ offset: 0n, metadata: expect.stringMatching(/^svc:1:/) });
  });

  test('the lag is what is open, however much is done ahead', () => {
    const parts = [
      { partition: 1, from: 2n, end: 10n, ahead: ahead([2, 4], 8) },
      { partition: 0, from: 5n, end: 5n, ahead: undefined },
    ];
    expect(countsOf(parts)).toEqual({
      ready: 4,
      arrived: 15,
      done: 11,
      partitions: [
        { partition: 0, end: 5, committed: 5, lag: 0 },
        { partition: 1, end: 10, committed: 2, lag: 4 },
      ],
    });
  });
});
