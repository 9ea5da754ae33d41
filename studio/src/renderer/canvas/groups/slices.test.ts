import { describe, expect, test } from 'vitest';
import { detailAt } from './detail.ts';
import { type Placed, sliceOf } from './slices.ts';

const sight = { x: 0, y: 0, width: 1000, height: 1000 };

function flows(number: number): readonly Placed[] {
  return Array.from({ length: number }, (_, at) => ({
    id: `flow ${at}`,
    type: 'flow',
    position: { x: (at % 10) * 100, y: Math.floor(at / 10) * 100 },
    width: 90,
    height: 40,
  }));
}

describe('slices', () => {
  test('draw the middle first, and everything in the end', () => {
    const boxes = flows(100);
    let slice = sliceOf(boxes, new Set(), sight, 8);
    expect(slice.shown.size).toBe(8);
    expect([...slice.shown]).toContain('flow 55');
    let rounds = 1;
    for (; !slice.isWhole; rounds++) slice = sliceOf(boxes, slice.shown, sight, 8);
    expect(slice.shown.size).toBe(100);
    expect(rounds).toBe(13);
  });

  test('what is drawn stays the same set while nothing comes and nothing goes', () => {
    const { shown } = sliceOf(flows(5), new Set(), sight, 8);
    expect(sliceOf(flows(5), shown, sight, 8)).toEqual({ shown, isWhole: true });
    expect(sliceOf(flows(5), shown, sight, 8).shown).toBe(shown);
  });

  test('frames and connectors are drawn wherever they are, flows in sight only', () => {
    const far = { position: { x: 90_000, y: 0 }, width: 10, height: 10 };
    const boxes = [
      { ...far, id: 'frame', type: 'flows' },
      { ...far, id: 'api', type: 'connector' },
      { ...far, id: 'away', type: 'flow' },
    ];
    expect([...sliceOf(boxes, new Set(), sight, 8).shown]).toEqual(['frame', 'api']);
  });

  test('what is not wanted any more goes in slices too', () => {
    const all = new Set(flows(100).map(({ id }) => id));
    let slice = sliceOf([], all, sight, 8);
    expect([slice.shown.size, slice.isWhole]).toEqual([76, false]);
    while (!slice.isWhole) slice = sliceOf([], slice.shown, sight, 8);
    expect(slice.shown.size).toBe(0);
  });
});

test('the zoom decides how much is drawn; groups only where flows are put together', () => {
  const zooms = [0.05, 0.39, 0.4, 1, 1.2, 2];
  expect(zooms.map((zoom) => detailAt(zoom, true))).toEqual(['groups', 'groups', 'flows', 'flows', 'stages', 'stages']);
  expect(zooms.map((zoom) => detailAt(zoom, false))).toEqual(['flows', 'flows', 'flows', 'flows', 'stages', 'stages']);
});
