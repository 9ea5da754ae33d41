import { expect, test } from 'vitest';
import type { LayoutBox } from './layout-box.ts';
import { layoutGraph } from './layout-graph.ts';

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

const placed = (nodes: readonly LayoutBox[], edges: readonly (readonly [string, string])[]) =>
  layoutGraph({ id: 1, nodes, edges: edges.map(([source, target]) => ({ source, target })) }).points;

test('connectors are in the middle of their flows, and no box covers another one', () => {
  const nodes = [box('api', 0), box('one', 1), box('two', 1), box('three', 1), box('db', 2)];
  const points = placed(nodes, [
    ['api', 'one'],
    ['api', 'two'],
    ['api', 'three'],
    ['two', 'db'],
    ['three', 'db'],
  ]);
  expect([...points]).toEqual([
    ['api', { x: 0, y: 80 }],
    ['one', { x: 164, y: 0 }],
    ['two', { x: 164, y: 80 }],
    ['three', { x: 164, y: 160 }],
    ['db', { x: 328, y: 120 }],
  ]);
});

test('more connectors than flows, and what leads nowhere, have places of their own', () => {
  const nodes = [...['a', 'b', 'c', 'd'].map((id) => box(id, 0)), box('flow', 1), box('x', 2)];
  const points = placed(nodes, [
    ['a', 'flow'],
    ['b', 'flow'],
    ['d', 'flow'],
  ]);
  const ys = ['a', 'b', 'c', 'd'].map((id) => points.get(id)!.y);
  expect(ys[0]).toBe(0);
  for (let at = 1; at < ys.length; at++) expect(ys[at]! - ys[at - 1]!).toBeGreaterThanOrEqual(80);
  expect(points.get('flow')!.x).toBe(164);
  expect(points.get('x')!.x).toBe(328);
  expect(Math.min(...[...points.values()].map(({ y }) => y))).toBe(0);
});

test('without connectors flows begin at the left; without anything there is nothing to place', () => {
  expect([...placed([box('one', 1), box('two', 1)], [])]).toEqual([
    ['one', { x: 0, y: 0 }],
    ['two', { x: 0, y: 80 }],
  ]);
  expect(placed([], []).size).toBe(0);
});
