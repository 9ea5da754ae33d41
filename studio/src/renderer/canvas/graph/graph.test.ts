import { describe, expect, test } from 'vitest';
import { outlineRows } from '../outline-rows.ts';
import { outlineOf, serve, shop } from '../testing.ts';
import { changedOnly, failingOnly, graphOf, sameWhereEqual } from './graph.ts';

const none = new Set<string>();

describe('what is drawn', () => {
  test('connectors on the sides where they are used, flows, and what joins them', () => {
    const { nodes, edges } = graphOf(outlineOf(shop), none, []);
    expect(nodes.map((node) => `${node.id}: ${node.detail}`)).toEqual([
      'source connector api: rest :3000',
      'flow create_order: POST /orders',
      'flow list_orders: GET /orders',
      'target connector db: sqlite',
      'target connector nowhere: not declared anywhere',
    ]);
    expect(edges.map(({ id, source, target, isGhost }) => ({ id, source, target, isGhost }))).toEqual([
      {
        id: 'connector api > flow create_order',
        source: 'source connector api',
        target: 'flow create_order',
        isGhost: false,
      },
      {
        id: 'flow create_order > connector db',
        source: 'flow create_order',
        target: 'target connector db',
        isGhost: false,
      },
      {
        id: 'connector api > flow list_orders',
        source: 'source connector api',
        target: 'flow list_orders',
        isGhost: false,
      },
      {
        id: 'flow list_orders > connector nowhere',
        source: 'flow list_orders',
        target: 'target connector nowhere',
        isGhost: true,
      },
    ]);
    expect(edges[1]?.stages).toEqual(['flow create_order/step stock', 'flow create_order/to']);
  });

  test('a connector on both sides is drawn twice, the second time as such', () => {
    const both = shop.replace('connector = "nowhere"', 'connector = "api"');
    const { nodes } = graphOf(outlineOf(both), none, []);
    const api = nodes.filter((node) => node.kind === 'connector' && node.connector.name === 'api');
    expect(api.map((node) => [node.id, node.kind === 'connector' && node.isRepeated, node.detail])).toEqual([
      ['source connector api', false, 'rest :3000'],
      ['target connector api', true, 'also a source'],
    ]);
  });

  test('an open flow is a card whose edges leave at ports of their own', () => {
    const { nodes } = graphOf(outlineOf(shop), new Set(['flow create_order']), []);
    const card = nodes.find(({ id }) => id === 'flow create_order');
    expect(card).toMatchObject({
      width: 572,
      height: 202,
      isOpen: true,
      ports: [
        { id: 'flow create_order/step stock > connector db', top: 100, left: 162 },
        { id: 'flow create_order/to > connector db', top: 114, left: 506 },
      ],
    });
    expect(card?.kind === 'flow' && card.kinds['flow create_order/step stock']).toBe('db');
  });

  test('the sign-in system is drawn as a source of the flows that its hooks run', () => {
    const text = `${shop}flow "mail" {
  response {
    to = "input.auth.email"
  }
}
auth {
  hooks {
    on_password_reset {
      flow = flow.mail
    }
  }
}
`;
    const outline = outlineOf(text);
    const { nodes, edges } = graphOf(outline, none, []);
    expect(nodes.map((node) => `${node.id}: ${node.detail}`)).toEqual([
      'source connector api: rest :3000',
      'source auth: sign-in, standard',
      'flow create_order: POST /orders',
      'flow list_orders: GET /orders',
      'flow mail: on_password_reset of auth',
      'target connector db: sqlite',
      'target connector nowhere: not declared anywhere',
    ]);
    expect(edges.find(({ flow }) => flow === 'flow mail')).toEqual({
      id: 'auth > flow mail',
      source: 'source auth',
      target: 'flow mail',
      direction: 'in',
      flow: 'flow mail',
      connector: 'auth',
      stages: [],
      isGhost: false,
      track: 1,
    });
    expect(outlineRows(outline, none).map(({ depth, name, meta }) => `${depth} ${name}: ${meta}`)).toContain(
      '1 mail: on_password_reset of auth',
    );
  });

  test('problems are counted where they are, and filtered by', () => {
    const service = serve({ 'a.hcl': shop });
    const graph = graphOf(service.outline(), none, service.diagnostics());
    const flow = graph.nodes.find(({ id }) => id === 'flow list_orders');
    expect(flow?.problems.errors).toBeGreaterThan(0);
    expect(failingOnly(graph).nodes.map(({ id }) => id)).toEqual([
      'source connector api',
      'flow list_orders',
      'target connector nowhere',
    ]);
  });

  test('what did not change stays the same object', () => {
    const before = graphOf(outlineOf(shop), none, []);
    expect(sameWhereEqual(before, graphOf(outlineOf(shop), none, [])).nodes).toBe(before.nodes);
    const renamed = sameWhereEqual(before, graphOf(outlineOf(shop.replace('POST /orders', 'POST /basket')), none, []));
    expect(renamed.nodes.map((node, at) => node === before.nodes[at])).toEqual([true, false, true, true, true]);
    expect(renamed.edges).toBe(before.edges);
  });
});

test('what differs is drawn with its mark, and with what it is joined to', () => {
  const service = serve({ 'a.hcl': shop });
  const before = shop.replace('GET /orders', 'GET /all').replaceAll('create_order', 'make_order');
  const { outline, differences } = service.compare([{ path: 'a.hcl', text: before }]);
  const { nodes, edges } = changedOnly(graphOf(outline, none, []), differences);
  expect(nodes.map(({ id, difference }) => `${id}: ${difference ?? 'equal'}`)).toEqual([
    'source connector api: equal',
    'flow create_order: added',
    'flow list_orders: changed',
    'flow make_order: removed',
    'target connector db: equal',
    'target connector nowhere: equal',
  ]);
  expect(edges.map(({ id }) => id)).toContain('connector api > flow make_order');
  expect(changedOnly(graphOf(outline, none, []), {})).toEqual({ nodes: [], edges: [] });
});
