import { expect, test } from 'vitest';
import { type LayoutBox, layoutGraph } from './layout-graph.ts';

const box = (id: string, column: LayoutBox['column']): LayoutBox => ({ id, width: 100, height: 44, column });

test('columns read from above as they are written, whatever joins them', () => {
  const nodes = [
    ...['a', 'b'].map((id) => box(id, 0)),
    ...['one', 'two', 'three', 'four'].map((id) => box(id, 1)),
    ...['x', 'y'].map((id) => box(id, 2)),
  ];
  const edges = [
    { source: 'b', target: 'one' },
    { source: 'a', target: 'two' },
    { source: 'b', target: 'three' },
    { source: 'a', target: 'four' },
    { source: 'one', target: 'y' },
    { source: 'two', target: 'x' },
    { source: 'three', target: 'y' },
    { source: 'four', target: 'x' },
  ];
  const { points } = layoutGraph({ id: 1, nodes, edges });
  for (const column of [0, 1, 2]) {
    const own = nodes.filter((node) => node.column === column).map(({ id }) => id);
    expect(own.toSorted((a, b) => points.get(a)!.y - points.get(b)!.y)).toEqual(own);
    expect(new Set(own.map((id) => points.get(id)!.y)).size).toBe(own.length);
  }
});
