import { describe, expect, test } from 'vitest';
import { layoutGraph } from '../../../worker/layout-graph.ts';
import { outlineOf, shop } from '../testing.ts';
import type { Graph, Points } from './drawn.ts';
import { graphOf } from './graph.ts';
import { layoutRequest } from './layout-client.ts';
import { Placement } from './placement.ts';

const none = new Set<string>();

function laidOut(graph: Graph): Points {
  return layoutGraph(layoutRequest(1, graph)).points;
}

function placed(text: string) {
  const placement = new Placement();
  const graph = graphOf(outlineOf(text), none, []);
  placement.misses(graph.nodes);
  placement.add(graph, laidOut(graph));
  return { placement, graph, before: new Map(placement.points) };
}

const more = `${shop}flow "fetch_order" {
  from {
    connector = "api"
    operation = "GET /orders/:id"
  }
  to {
    connector = "db"
    target    = "orders"
  }
}
`;

describe('where nodes are placed', () => {
  test('connectors, flows and connectors again, from left to right', () => {
    const { before } = placed(shop);
    const x = (id: string) => before.get(id)?.x ?? Number.NaN;
    expect(x('source connector api') + 140).toBeLessThan(x('flow create_order'));
    expect(x('flow create_order')).toBe(x('flow list_orders'));
    expect(x('flow create_order') + 216).toBeLessThan(x('target connector db'));
  });

  test('what has a place keeps it when a flow is added, which overlaps nothing', () => {
    const { placement, before } = placed(shop);
    const graph = graphOf(outlineOf(more), none, []);
    expect(placement.misses(graph.nodes)).toBe(true);
    placement.add(graph, laidOut(graph));
    for (const [id, point] of before) expect(placement.points.get(id)).toEqual(point);
    const added = placement.points.get('flow fetch_order');
    expect(added?.x).toBe(before.get('flow create_order')?.x);
    for (const id of ['flow create_order', 'flow list_orders'])
      expect(Math.abs((before.get(id)?.y ?? 0) - (added?.y ?? 0))).toBeGreaterThanOrEqual(44);
  });

  test('a connector that nothing uses yet is placed with those that messages come from', () => {
    const { placement, before } = placed(shop);
    const graph = graphOf(outlineOf(`${shop}connector "jobs" {\n  type = "rest"\n}\n`), none, []);
    expect(placement.misses(graph.nodes)).toBe(true);
    placement.add(graph, laidOut(graph));
    expect(placement.points.get('source connector jobs')?.x).toBe(before.get('source connector api')?.x);
    expect(laidOut(graph).get('source connector jobs')?.x).toBe(laidOut(graph).get('source connector api')?.x);
  });

  test('a flow of another name stays where it was', () => {
    const { placement, before } = placed(shop);
    const graph = graphOf(outlineOf(shop.replace('"list_orders"', '"all_orders"')), none, []);
    expect(placement.misses(graph.nodes)).toBe(false);
    expect(placement.points.get('flow all_orders')).toEqual(before.get('flow list_orders'));
  });

  test('an open flow makes room, and gives it back when it is closed', () => {
    const { placement, before } = placed(more);
    const open = graphOf(outlineOf(more), new Set(['flow create_order', 'flow list_orders']), []);
    placement.open(open.nodes);
    const boxes = open.nodes.map(({ id, width, height }) => ({ id, width, height, ...placement.points.get(id)! }));
    for (const one of boxes)
      for (const other of boxes) {
        const apart =
          one.x + one.width <= other.x ||
          other.x + other.width <= one.x ||
          one.y + one.height <= other.y ||
          other.y + other.height <= one.y;
        expect(one === other || apart, `${one.id} and ${other.id}`).toBe(true);
      }
    placement.open(graphOf(outlineOf(more), new Set(['flow list_orders']), []).nodes);
    placement.open(graphOf(outlineOf(more), none, []).nodes);
    expect(new Map(placement.points)).toEqual(before);
  });

  test('what was dragged stays there until all is laid out again', () => {
    const { placement, graph, before } = placed(shop);
    placement.move('flow list_orders', { x: 900, y: 700 });
    placement.misses(graph.nodes);
    placement.open(graph.nodes);
    expect(placement.points.get('flow list_orders')).toEqual({ x: 900, y: 700 });
    placement.tidy(laidOut(graph));
    expect(new Map(placement.points)).toEqual(before);
  });
});
