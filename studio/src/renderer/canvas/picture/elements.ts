import { Position } from '@xyflow/react';
import type { Drawn } from '../canvas.ts';
import type { GraphNode } from '../graph/graph.ts';
import type { Point } from '../graph/placement.ts';
import { closedHeight, firstPort } from '../graph/sizes.ts';
import type { CanvasEdge } from './edge.tsx';
import type { CanvasNode } from './nodes.tsx';

export interface FlowElements {
  readonly nodes: CanvasNode[];
  readonly edges: CanvasEdge[];
  readonly of: Drawn;
}

const portSize = 8;

/** Nodes and edges for React Flow, made of what is drawn; `before` is what it had, whose members stay where they hold. */
export function flowElements(
  drawn: Drawn,
  dragged: { readonly id: string; readonly point: Point } | undefined,
  before: FlowElements | undefined,
): FlowElements {
  const { graph, points } = drawn;
  const known = new Map(before?.nodes.map((node) => [node.id, node]));
  const nodes = graph.nodes.map((node): CanvasNode => {
    const position = dragged?.id === node.id ? dragged.point : (points.get(node.id) ?? { x: 0, y: 0 });
    const old = known.get(node.id);
    if (old?.data.node === node && old.position.x === position.x && old.position.y === position.y) return old;
    const { id, kind, width, height } = node;
    const zIndex = node.kind === 'flow' && node.isOpen ? 1 : 0;
    const { word, name } = node.kind === 'flow' ? { word: kind, name: node.flow.name } : node.connector;
    const ariaLabel = word === name ? `${name} block` : `${word} ${name}`;
    return { id, type: kind, position, width, height, zIndex, ariaLabel, handles: handlesOf(node), data: { node } };
  });
  const edges =
    before?.of.graph.edges === graph.edges
      ? before.edges
      : graph.edges.map((edge): CanvasEdge => {
          const { id, source, target, direction } = edge;
          const sourceHandle = direction === 'in' ? 'out' : target;
          const ends = direction === 'in' ? [edge.connector, edge.flow] : [edge.flow, edge.connector];
          const ariaLabel = ends.join(' to ');
          return { id, source, target, ariaLabel, sourceHandle, targetHandle: 'in', type: 'line', data: { edge } };
        });
  return { nodes, edges, of: drawn };
}

/** Where lines end at a node, known without drawing it: most nodes of a large picture are out of sight. */
function handlesOf(node: GraphNode): NonNullable<CanvasNode['handles']> {
  const size = { width: portSize, height: portSize };
  const handle = (type: 'source' | 'target', id: string, top: number) => ({
    id,
    type,
    position: type === 'source' ? Position.Right : Position.Left,
    x: type === 'source' ? node.width - portSize / 2 : -portSize / 2,
    y: top - portSize / 2,
    ...size,
  });
  if (node.kind === 'connector')
    return [handle('target', 'in', closedHeight / 2), handle('source', 'out', closedHeight / 2)];
  const leaving = Object.entries(node.ports).map(([target, top]) => handle('source', target, top));
  return [handle('target', 'in', node.isOpen ? firstPort : closedHeight / 2), ...leaving];
}
