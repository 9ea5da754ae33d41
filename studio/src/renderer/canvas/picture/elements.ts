import { Position } from '@xyflow/react';
import type { Drawn, GraphNode, Point } from '../graph/drawn.ts';
import { closedHeight, firstPort } from '../graph/sizes.ts';
import type { CanvasEdge } from './canvas-edge.ts';
import type { CanvasNode } from './canvas-node.ts';

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
  const older = new Map(before?.nodes.map((node) => [node.id, node]));
  const nodes = graph.nodes.map((node): CanvasNode => {
    const position = dragged?.id === node.id ? dragged.point : (points.get(node.id) ?? { x: 0, y: 0 });
    const old = older.get(node.id);
    if (
      old?.data.node === node &&
      before?.of.alone === drawn.alone &&
      old.position.x === position.x &&
      old.position.y === position.y
    )
      return old;
    const { id, kind, width, height } = node;
    const zIndex = node.kind === 'flow' && node.isOpen ? 1 : 0;
    const { word, name } = node.kind === 'flow' ? { word: kind, name: node.flow.name } : node.connector;
    const ariaLabel = word === name ? `${name} block` : `${word} ${name}`;
    // With its size and its ports known, a box is drawn without being measured.
    const known = { width, height, measured: { width, height }, handles: handlesOf(node, drawn.alone !== undefined) };
    return { id, type: kind, position, ...known, zIndex, ariaLabel, data: { node } };
  });
  const edges =
    before?.of.graph.edges === graph.edges
      ? before.edges
      : graph.edges.map((edge): CanvasEdge => {
          const { id, source, target, direction } = edge;
          const sourceHandle = direction === 'in' ? 'out' : id;
          const ends = direction === 'in' ? [edge.connector, edge.flow] : [edge.flow, edge.connector];
          const ariaLabel = ends.join(' to ');
          return { id, source, target, ariaLabel, sourceHandle, targetHandle: 'in', type: 'line', data: { edge } };
        });
  return { nodes, edges, of: drawn };
}

/** Where messages come into a flow that is drawn alone, from its left. */
export const firstPortAlone = 70;

/** Where lines end at a node, known without drawing it: most nodes of a large picture are out of sight. */
function handlesOf(node: GraphNode, isAlone: boolean): NonNullable<CanvasNode['handles']> {
  const size = { width: portSize, height: portSize };
  const half = portSize / 2;
  const handle = (type: 'source' | 'target', id: string, top: number, left: number) => {
    const isSource = type === 'source';
    if (isAlone)
      return {
        id,
        type,
        position: isSource ? Position.Bottom : Position.Top,
        x: left - half,
        y: (isSource ? node.height : 0) - half,
        ...size,
      };
    const position = isSource ? Position.Right : Position.Left;
    return { id, type, position, x: (isSource ? node.width : 0) - half, y: top - half, ...size };
  };
  const middle = [closedHeight / 2, node.width / 2] as const;
  if (node.kind === 'connector') return [handle('target', 'in', ...middle), handle('source', 'out', ...middle)];
  const leaving = node.ports.map(({ id, top, left }) => handle('source', id, top, left));
  return [handle('target', 'in', node.isOpen ? firstPort : closedHeight / 2, firstPortAlone), ...leaving];
}
