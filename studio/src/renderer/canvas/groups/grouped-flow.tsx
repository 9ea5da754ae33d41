import { ReactFlow, type ReactFlowProps, useStoreApi } from '@xyflow/react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { CanvasEdge } from '../picture/canvas-edge.ts';
import type { CanvasNode } from '../picture/canvas-node.ts';
import type { BundleEdge, GroupNode } from './elements.ts';
import { sliceOf } from './slices.ts';

type AnyNode = CanvasNode | GroupNode;
type AnyEdge = CanvasEdge | BundleEdge;

interface GroupedFlowProps extends ReactFlowProps<AnyNode, AnyEdge> {
  /** Everything that may be drawn. */
  readonly nodes: AnyNode[];
  readonly edges: AnyEdge[];
  /** Whether flows are put together; those that lines lead to are drawn in any case. */
  readonly isGrouped: boolean;
  /** Whether groups are drawn in place of their flows. */
  readonly isFar: boolean;
}

/**
 * The graph. Where flows are put together there are many: what comes into sight is drawn in slices, as much in each
 * frame as there is time for, and what leaves it goes the same way.
 */
export function GroupedFlow({ nodes, isGrouped, isFar, ...props }: GroupedFlowProps) {
  const shown = useShown(nodes, props.edges, isGrouped, isFar);
  return <ReactFlow {...props} nodes={shown} onlyRenderVisibleElements={!isGrouped} nodesDraggable={!isGrouped} />;
}

/** Milliseconds that a slice should take, styles and layout with it, and boxes that it may have. */
const budget = 4;
const sizes = { least: 2, first: 6, most: 40 };

function useShown(nodes: AnyNode[], edges: readonly AnyEdge[], isGrouped: boolean, isFar: boolean): AnyNode[] {
  const view = useStoreApi();
  const [shown, setShown] = useState<ReadonlySet<string>>(new Set());
  const last = useRef(shown);
  const size = useRef(sizes.first);
  const ends = useMemo(() => new Set(edges.flatMap(({ source, target }) => [source, target])), [edges]);
  useEffect(() => {
    if (!isGrouped) return;
    const wanted = isFar ? nodes.filter(({ type }) => type !== 'flow') : nodes;
    let frame = 0;
    const look = () => {
      frame = 0;
      const { transform, width, height } = view.getState();
      const [x, y, zoom] = transform;
      const sight = { x: -x / zoom, y: -y / zoom, width: width / zoom, height: height / zoom };
      const slice = sliceOf(wanted, last.current, sight, size.current);
      if (slice.shown !== last.current) {
        const began = performance.now();
        last.current = slice.shown;
        flushSync(() => setShown(slice.shown));
        // The browser does now what it would do at the end of the frame: it is most of what a box costs.
        view.getState().domNode?.getBoundingClientRect();
        const took = performance.now() - began;
        if (!slice.isWhole || took > budget) size.current = sizeAfter(size.current, took);
      }
      if (!slice.isWhole) schedule();
    };
    const schedule = () => {
      if (frame === 0) frame = requestAnimationFrame(look);
    };
    const stop = view.subscribe((now, before) => {
      if (now.transform !== before.transform || now.width !== before.width || now.height !== before.height) schedule();
    });
    schedule();
    return () => {
      stop();
      cancelAnimationFrame(frame);
    };
  }, [nodes, view, isGrouped, isFar]);
  return useMemo(
    () => (isGrouped ? nodes.filter(({ id }) => shown.has(id) || ends.has(id)) : nodes),
    [nodes, shown, ends, isGrouped],
  );
}

function sizeAfter(size: number, took: number): number {
  const wanted = size * (took > budget ? 0.6 : took < budget / 2 ? 1.4 : 1);
  return Math.round(Math.min(sizes.most, Math.max(sizes.least, wanted)));
}
