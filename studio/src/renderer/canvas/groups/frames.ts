import { frameEdge } from '../../../worker/layout-groups.ts';
import type { Drawn, FlowNode, GraphEdge, ProblemCount } from '../graph/drawn.ts';
import type { FlowGroup } from './grouping.ts';

/** A group as it is drawn: around those of its flows that are. */
export interface GroupFrame {
  readonly group: FlowGroup;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Names of its flows that are drawn. */
  readonly flows: readonly string[];
  readonly problems: ProblemCount;
}

/** The frames of everything that is drawn, in pixels of the canvas; a group of which no flow is drawn has no frame. */
export function framesOf({ graph, points, groups = [] }: Drawn): readonly GroupFrame[] {
  const flows = new Map(graph.nodes.flatMap((node) => (node.kind === 'flow' ? [[node.id, node]] : [])));
  return groups.flatMap((group): GroupFrame[] => {
    const own = group.flows.flatMap((id) => flows.get(id) ?? []);
    return own.length === 0 ? [] : [frameAround(group, own, points)];
  });
}

function frameAround(group: FlowGroup, own: readonly FlowNode[], points: Drawn['points']): GroupFrame {
  let [left, top, right, bottom] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, -Infinity, -Infinity];
  let [errors, warnings] = [0, 0];
  for (const { id, width, height, problems } of own) {
    const { x, y } = points.get(id) ?? { x: 0, y: 0 };
    left = Math.min(left, x);
    top = Math.min(top, y);
    right = Math.max(right, x + width);
    bottom = Math.max(bottom, y + height);
    errors += problems.errors;
    warnings += problems.warnings;
  }
  return {
    group,
    x: left - frameEdge.side,
    y: top - frameEdge.top,
    width: right - left + 2 * frameEdge.side,
    height: bottom - top + frameEdge.top + frameEdge.side,
    flows: own.map(({ flow }) => flow.name),
    problems: { errors, warnings },
  };
}

/** One line for everything that the flows of a group take from a connector, or ask and hand to it. */
export interface Bundle {
  readonly id: string;
  readonly source: string;
  readonly target: string;
  readonly direction: GraphEdge['direction'];
  readonly group: string;
  readonly connector: string;
  /** How many flows there are behind it. */
  readonly count: number;
  readonly isGhost: boolean;
}

export function bundlesOf({ graph, groups = [] }: Drawn): readonly Bundle[] {
  const groupOf = new Map(groups.flatMap(({ id, flows }) => flows.map((flow) => [flow, id] as const)));
  const bundled = Map.groupBy(graph.edges, ({ flow, connector, direction }) => {
    const group = groupOf.get(flow);
    return direction === 'in' ? `${connector} > ${group}` : `${group} > ${connector}`;
  });
  return [...bundled].map(([id, edges]) => {
    const { source, target, direction, flow, connector, isGhost } = edges[0]!;
    const group = groupOf.get(flow) ?? '';
    const ends = direction === 'in' ? { source, target: group } : { source: group, target };
    const count = new Set(edges.map((edge) => edge.flow)).size;
    return { id, ...ends, direction, group, connector, count, isGhost };
  });
}
