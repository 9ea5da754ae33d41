import { useStoreApi, useStore as useViewStore } from '@xyflow/react';
import { type RefObject, useEffect, useMemo } from 'react';
import { useStore } from '../../state/use-store.ts';
import { useCanvas } from '../context.ts';
import type { CanvasEdge } from '../picture/canvas-edge.ts';
import type { CanvasNode } from '../picture/canvas-node.ts';
import type { FlowElements } from '../picture/elements.ts';
import { type Detail, useDetail } from './detail.ts';
import { type BundleEdge, type GroupNode, groupedElements } from './elements.ts';

/** Zoom below which names are drawn larger, without what is beside them. */
const zoomOfDetails = 0.7;

/** What is drawn at this zoom of all nodes and edges, and how much it is. */
export function useGrouped(full: FlowElements) {
  const canvas = useCanvas();
  const open = useStore(canvas.open);
  const selected = useStore(canvas.selected);
  const isGrouped = full.of.groups !== undefined;
  const detail = useDetail(isGrouped);
  const flow = selected?.split('/')[0];
  const elements = useMemo((): { nodes: (CanvasNode | GroupNode)[]; edges: (CanvasEdge | BundleEdge)[] } => {
    if (!isGrouped) return full;
    const lit = new Set(open);
    if (flow !== undefined) lit.add(flow);
    return groupedElements(full, detail, lit);
  }, [full, isGrouped, detail, open, flow]);
  return { ...elements, detail, isGrouped };
}

/** The part by which sizes grow at a time, so that not every frame of a zoom computes styles and lays out names again. */
const step = 1.2;

function inSteps(size: number): number {
  return Number((step ** Math.round(Math.log(size) / Math.log(step))).toFixed(2));
}

/**
 * Tells the styles how far away the picture is: what must be read from afar is drawn in sizes of the screen. That is written
 * past React, which would draw the whole graph again.
 */
export function useDistance(root: RefObject<HTMLElement | null>, detail: Detail): string {
  const view = useStoreApi();
  const isFar = detail === 'groups';
  useEffect(() => {
    let last = '';
    const write = () => {
      const far = isFar ? String(inSteps(1 / view.getState().transform[2])) : '1';
      if (far === last) return;
      last = far;
      // Only boxes are drawn in it: all that is below an element has its styles computed again when a property changes.
      root.current?.querySelector<HTMLElement>('.react-flow__nodes')?.style.setProperty('--far', far);
    };
    write();
    return isFar ? view.subscribe(write) : undefined;
  }, [root, view, isFar]);
  const isSmall = useViewStore(({ transform }) => detail !== 'groups' && transform[2] < zoomOfDetails);
  return isFar ? 'canvas from-afar' : isSmall ? 'canvas small-names' : 'canvas';
}
