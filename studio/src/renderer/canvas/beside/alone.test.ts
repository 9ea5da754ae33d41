import { expect, test } from 'vitest';
import { graphOf } from '../graph/graph.ts';
import { outlineOf, shop } from '../testing.ts';
import { aloneOf } from './alone.ts';

const open = new Set(['flow create_order']);

test('a flow alone has what it takes from above it and what it gives to below', () => {
  const drawn = aloneOf(graphOf(outlineOf(shop), open, []), 'flow create_order');
  expect(Object.fromEntries(drawn!.points)).toEqual({
    'source connector api': { x: 0, y: 0 },
    'flow create_order': { x: 0, y: 88 },
    'target connector db': { x: 0, y: 334 },
  });
  expect(drawn!.graph.nodes.map(({ id }) => id)).toEqual([...drawn!.points.keys()]);
  expect(drawn!.graph.edges.map(({ id }) => id)).toEqual([
    'connector api > flow create_order',
    'flow create_order/step stock > connector db',
    'flow create_order/to > connector db',
  ]);
  expect(drawn!.alone).toBe('flow create_order');
});

test('more connectors than are as wide as the flow are in more rows', () => {
  const steps = ['a', 'b', 'c', 'd'].map(
    (name) => `  step "${name}" {\n    connector = "${name}"\n    target    = "t"\n  }\n`,
  );
  const text = shop.replace('  step "stock" {', `${steps.join('')}  step "stock" {`);
  const { points } = aloneOf(graphOf(outlineOf(text), open, []), 'flow create_order')!;
  const targets = [...points].filter(([id]) => id.startsWith('target')).map(([, point]) => point);
  expect(targets.map(({ x }) => x)).toEqual([0, 164, 328, 0, 164]);
  expect(new Set(targets.map(({ y }) => y)).size).toBe(2);
});

test('a flow that is not written any more is not drawn alone', () => {
  expect(aloneOf(graphOf(outlineOf(shop), open, []), 'flow gone')).toBeUndefined();
});
