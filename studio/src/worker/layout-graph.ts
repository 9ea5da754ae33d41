import { Graph, layout } from '@dagrejs/dagre';
import { inWrittenOrder } from './written-order.ts';

/** What is laid out: boxes in pixels, and what leads from one to another. */
export interface LayoutRequest {
  readonly id: number;
  readonly nodes: readonly LayoutBox[];
  readonly edges: readonly { readonly source: string; readonly target: string }[];
  /** The ids of the flows of each group, from above; undefined while flows are not grouped. */
  readonly groups?: readonly (readonly string[])[] | undefined;
}

export interface LayoutBox {
  readonly id: string;
  readonly width: number;
  readonly height: number;
  /** From the left: what messages come from, flows, what they go to. */
  readonly column: 0 | 1 | 2;
}

export interface LayoutAnswer {
  readonly id: number;
  /** The upper left corner of each box. */
  readonly points: ReadonlyMap<string, { readonly x: number; readonly y: number }>;
}

/** Up to how many boxes lines are kept from crossing: above, that alone would take most of a second. */
const mostUntangled = 400;

const end = ' end';

/** Places boxes from left to right, so that few lines cross. */
export function layoutGraph({ id, nodes, edges }: LayoutRequest): LayoutAnswer {
  const graph = new Graph();
  // Ranks by the longest path cost a tenth of the simplex; three columns are the same in both.
  graph.setGraph({ rankdir: 'LR', nodesep: 36, edgesep: 8, ranksep: 64, ranker: 'longest-path' });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id: node, width, height } of nodes) graph.setNode(node, { width, height });
  for (const { source, target } of edges) graph.setEdge(source, target);
  // What leads nowhere would be drawn at the right: an invisible end keeps it in its column.
  const leaving = new Set(edges.map(({ source }) => source));
  const loose = nodes.filter((node) => node.column < 2 && !leaving.has(node.id));
  if (loose.length > 0) graph.setNode(end, { width: 0, height: 0 });
  for (const { id: node, column } of loose) graph.setEdge(node, end, { minlen: 2 - column, weight: 0 });
  layout(graph, { disableOptimalOrderHeuristic: nodes.length > mostUntangled });
  const points = new Map(
    nodes.map(({ id: node, width, height }) => {
      const { x = 0, y = 0 } = graph.node(node) as { x?: number; y?: number };
      return [node, { x: Math.round(x - width / 2), y: Math.round(y - height / 2) }] as const;
    }),
  );
  return { id, points: inWrittenOrder(nodes, points) };
}
