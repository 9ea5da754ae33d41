import type { Drawn, Graph, GraphNode, Point } from '../graph/drawn.ts';

const gap = { x: 24, y: 44 };

/**
 * One flow with its connectors, as it is drawn beside its text: what messages come from above it, what they go to below.
 * Undefined when the graph does not have the flow.
 */
export function aloneOf({ nodes, edges }: Graph, flow: string): Drawn | undefined {
  const own = nodes.find(({ id }) => id === flow);
  if (own === undefined) return undefined;
  const lines = edges.filter((edge) => edge.flow === flow);
  const ends = new Set(lines.flatMap(({ source, target }) => [source, target]));
  const joined = nodes.filter(({ id }) => ends.has(id) && id !== flow);
  const sources = joined.filter((node) => node.kind === 'connector' && node.side === 'source');
  const targets = joined.filter((node) => node.kind === 'connector' && node.side === 'target');
  const points = new Map<string, Point>();
  let y = placeRows(sources, own.width, 0, points);
  points.set(flow, { x: 0, y });
  y += own.height + gap.y;
  placeRows(targets, own.width, y, points);
  return { graph: { nodes: [...sources, own, ...targets], edges: lines }, points, alone: flow };
}

/** Places nodes in rows as wide as the flow; where the next row begins. */
function placeRows(nodes: readonly GraphNode[], room: number, top: number, points: Map<string, Point>): number {
  let [x, y] = [0, top];
  for (const { id, width, height } of nodes) {
    if (x > 0 && x + width > room) [x, y] = [0, y + height + gap.y];
    points.set(id, { x, y });
    x += width + gap.x;
  }
  return nodes.length === 0 ? top : y + nodes[0]!.height + gap.y;
}
