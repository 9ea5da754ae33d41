import { type Edge, type EdgeProps, getSmoothStepPath, Position } from '@xyflow/react';
import { memo } from 'react';
import { useStore } from '../../state/use-store.ts';
import { useCanvas, useThread } from '../context.ts';
import type { GraphEdge } from '../graph/graph.ts';
import { isEdgeActive } from './nodes.tsx';

export type CanvasEdge = Edge<{ readonly edge: GraphEdge }>;

/** How far from connectors lines turn, so that those that lead to the same one run together. */
const turn = 20;

export function edgePath(
  { sourceX, sourceY, targetX, targetY }: Pick<EdgeProps, 'sourceX' | 'sourceY' | 'targetX' | 'targetY'>,
  direction: GraphEdge['direction'],
): string {
  const room = Math.min(turn, Math.abs(targetX - sourceX) / 2);
  const [path] = getSmoothStepPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition: Position.Right,
    targetPosition: Position.Left,
    borderRadius: 8,
    offset: turn / 2,
    ...(targetX > sourceX && { centerX: direction === 'in' ? sourceX + room : targetX - room }),
  });
  return path;
}

export const EdgeLine = memo(({ data, ...ends }: EdgeProps<CanvasEdge>) => {
  const edge = data!.edge;
  const canvas = useCanvas();
  const isActive = useStore(canvas.selected, (at) => isEdgeActive(at, edge.flow, edge.connector, edge.stages));
  const isPaused = useThread(edge.flow.slice('flow '.length))?.isPaused === true && edge.direction === 'in';
  const states = [isPaused && 'paused-edge', isActive && 'active', edge.isGhost && 'ghost'];
  return <path className={['edge', ...states].filter(Boolean).join(' ')} d={edgePath(ends, edge.direction)} />;
});
