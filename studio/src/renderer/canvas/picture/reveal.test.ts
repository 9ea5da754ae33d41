import { describe, expect, test } from 'vitest';
import { boxOf } from '../graph/boxes.ts';
import { graphOf } from '../graph/graph.ts';
import { placesOf } from '../graph/places.ts';
import { outlineOf, shop } from '../testing.ts';
import { isInSight, middleFor } from './reveal.ts';

const outline = outlineOf(shop);
const graph = graphOf(outline, new Set(['flow create_order']), []);
const points = new Map(graph.nodes.map(({ id }, at) => [id, { x: at * 1000, y: 100 }]));
const places = placesOf(outline);
const box = (id: string) => boxOf({ graph, points }, places.get(id)!);

describe('boxes of places', () => {
  test('of stages and rules are inside of the open card', () => {
    expect(box('flow create_order')).toEqual({ x: 1000, y: 100, width: 572, height: 202 });
    expect(box('flow create_order/step stock')).toEqual({ x: 1108, y: 180, width: 108, height: 40 });
    expect(box('flow create_order/transform/rule 1')).toEqual({ x: 1232, y: 226, width: 200, height: 20 });
    expect(box('flow list_orders/to')).toEqual({ x: 2000, y: 100, width: 216, height: 44 });
    expect(box('connector db')).toEqual({ x: 3000, y: 100, width: 140, height: 44 });
  });

  test('are in sight where no bar covers them', () => {
    const sight = { x: -1000, y: 0, zoom: 1, width: 600, height: 400 };
    expect(isInSight(box('flow create_order/step stock')!, sight)).toBe(true);
    expect(isInSight(box('flow list_orders/to')!, sight)).toBe(false);
    expect(isInSight(box('flow create_order/step stock')!, { ...sight, y: -140 })).toBe(false);
    expect(isInSight(box('flow create_order/step stock')!, { ...sight, height: 260 })).toBe(false);
  });

  test('come into the middle with their flow where it fits', () => {
    const place = box('flow create_order/to')!;
    const whole = box('flow create_order')!;
    expect(middleFor(place, whole, { zoom: 1, width: 700, height: 500 })).toEqual({ x: 1286, y: 201 });
    expect(middleFor(place, whole, { zoom: 1, width: 500, height: 500 })).toEqual({ x: 1506, y: 200 });
  });
});
