import { describe, expect, test } from 'vitest';
import type { LayoutBox } from './layout-box.ts';
import type { LayoutRequest } from './layout-graph.ts';
import { frameEdge, layoutGroups } from './layout-groups.ts';

const size = { flow: { width: 216, height: 44 }, connector: { width: 140, height: 44 } };

function boxes(prefix: string, number: number, column: LayoutBox['column']): readonly LayoutBox[] {
  const of = column === 1 ? size.flow : size.connector;
  return Array.from({ length: number }, (_, at) => ({ id: `${prefix}${at}`, ...of, column }));
}

/** So many groups of equal size, each of them joined to a source and a target of its own. */
function request(groups: number, each: number): LayoutRequest {
  const flows = boxes('flow', groups * each, 1);
  const groupOf = (at: number) => Math.floor(at / each);
  return {
    id: 7,
    nodes: [...boxes('source', groups, 0), ...flows, ...boxes('target', groups, 2)],
    edges: flows.flatMap(({ id }, at) => [
      { source: `source${groupOf(at)}`, target: id },
      { source: id, target: `target${groupOf(at)}` },
    ]),
    groups: Array.from({ length: groups }, (_, at) => flows.slice(at * each, (at + 1) * each).map(({ id }) => id)),
  };
}

function rectangles({ nodes }: LayoutRequest, { points }: ReturnType<typeof layoutGroups>) {
  return nodes.map((node) => ({ ...node, ...points.get(node.id)! }));
}

describe('groups of flows', () => {
  test.each([
    [1, 1],
    [12, 25],
    [3, 100],
    [300, 1],
  ])('%i of %i flows: no box covers another one, each flow is in the block of its group', (groups, each) => {
    const asked = request(groups, each);
    const answer = layoutGroups(asked);
    const placed = rectangles(asked, answer);
    expect(answer.id).toBe(7);
    expect(answer.points.size).toBe(asked.nodes.length);
    const covering = placed.filter((one, at) =>
      placed
        .slice(at + 1)
        .some(
          (other) =>
            one.x < other.x + other.width &&
            other.x < one.x + one.width &&
            one.y < other.y + other.height &&
            other.y < one.y + one.height,
        ),
    );
    expect(covering).toEqual([]);
    const y = (id: string) => answer.points.get(id)!.y;
    const tops = asked.groups!.map((members) => Math.min(...members.map(y)) - frameEdge.top);
    const bottoms = asked.groups!.map((members) => Math.max(...members.map(y)) + size.flow.height + frameEdge.side);
    for (let at = 1; at < groups; at++) expect(tops[at]).toBeGreaterThan(bottoms[at - 1]!);
  });

  test('connectors are at their sides, in the order of the groups that they are joined to', () => {
    const { points } = layoutGroups(request(4, 10));
    const of = (word: string) => Array.from({ length: 4 }, (_, at) => points.get(`${word}${at}`)!);
    const xOfFlows = Array.from({ length: 40 }, (_, at) => points.get(`flow${at}`)!.x);
    for (const source of of('source')) expect(source.x + size.connector.width).toBeLessThan(Math.min(...xOfFlows));
    for (const target of of('target')) expect(target.x).toBeGreaterThan(Math.max(...xOfFlows) + size.flow.width);
    for (const side of ['source', 'target']) {
      const ys = of(side).map(({ y }) => y);
      expect(ys).toEqual(ys.toSorted((a, b) => a - b));
    }
  });

  test('what leads nowhere, a group without flows and a name that is not there have no place in the way', () => {
    const nodes = [...boxes('source', 2, 0), ...boxes('flow', 1, 1)];
    const { points } = layoutGroups({ id: 1, nodes, edges: [], groups: [[], ['flow0', 'absent']] });
    expect([...points.keys()].sort()).toEqual(['flow0', 'source0', 'source1']);
    expect(points.get('source0')).not.toEqual(points.get('source1'));
  });
});
