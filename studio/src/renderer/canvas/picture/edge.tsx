import { type EdgeProps, getSmoothStepPath, Position } from '@xyflow/react';
import { memo, useState } from 'react';
import { useStore } from '../../state/use-store.ts';
import { addMark } from '../building/gestures.ts';
import { useCanvas, useThread } from '../context.ts';
import { isCurrent } from '../course.ts';
import type { GraphEdge } from '../graph/drawn.ts';
import type { CanvasEdge } from './canvas-edge.ts';
import { isEdgeActive } from './nodes.tsx';

/** How far from connectors lines turn, so that those that lead to the same one run together and others do not. */
const turn = 12;
const betweenTracks = 7;
const betweenRows = 4;

/** The way of an edge, and its middle. */
export function edgeShape(
  { sourceX, sourceY, targetX, targetY }: Pick<EdgeProps, 'sourceX' | 'sourceY' | 'targetX' | 'targetY'>,
  { direction, track }: Pick<GraphEdge, 'direction' | 'track'>,
  isDownwards = false,
): { readonly path: string; readonly x: number; readonly y: number } {
  const way = isDownwards ? targetY - sourceY : targetX - sourceX;
  const room = Math.min(turn + track * (isDownwards ? betweenRows : betweenTracks), Math.abs(way) / 2);
  const [from, to] = isDownwards ? [sourceY, targetY] : [sourceX, targetX];
  const centre = direction === 'in' ? from + room : to - room;
  const [path, x, y] = getSmoothStepPath({
    sourceX,
    sourceY,
    targetX,
    targetY,
    sourcePosition: isDownwards ? Position.Bottom : Position.Right,
    targetPosition: isDownwards ? Position.Top : Position.Left,
    borderRadius: 8,
    offset: turn,
    ...(way > 0 && (isDownwards ? { centerY: centre } : { centerX: centre })),
  });
  return { path, x, y };
}

export function edgePath(...[ends, edge, isDownwards]: Parameters<typeof edgeShape>): string {
  return edgeShape(ends, edge, isDownwards).path;
}

export const EdgeLine = memo(({ data, ...ends }: EdgeProps<CanvasEdge>) => {
  const edge = data!.edge;
  const canvas = useCanvas();
  const isAlone = useStore(canvas.drawn, ({ alone }) => alone !== undefined);
  const isActive = useStore(canvas.selected, (at) => isEdgeActive(at, edge));
  const isPaused = isCurrent(edge, useThread(edge.flow.slice(edge.flow.indexOf(' ') + 1)), canvas.places);
  const states = [isPaused && 'paused-edge', isActive && 'active', edge.isGhost && 'ghost'];
  // Of a flow that is selected, or anything in it.
  const isChosen = useStore(canvas.selected, (at) => at?.split('/')[0] === edge.flow);
  const [isPointed, setPointed] = useState(false);
  const { path, x, y } = edgeShape(ends, edge, isAlone);
  return (
    <g onPointerEnter={() => setPointed(true)} onPointerLeave={() => setPointed(false)}>
      <path className="edge-reach" d={path} />
      <path className={['edge', ...states].filter(Boolean).join(' ')} d={path} />
      {(isChosen || isPointed) && (
        <g
          className="edge-add"
          data-add={addMark(edge.flow, edge.direction === 'in' ? 'gate' : 'deliver')}
          transform={`translate(${x} ${y})`}
        >
          <title>Add a stage here (A)</title>
          <circle r="8" />
          <path d="M-4 0h8M0-4v8" />
        </g>
      )}
    </g>
  );
});
