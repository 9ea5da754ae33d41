import { useStore as useViewStore } from '@xyflow/react';
import { type RefObject, useEffect, useMemo } from 'react';
import { useStore } from '../../state/use-store.ts';
import { useCanvas } from '../context.ts';
import type { CanvasEdge } from '../picture/edge.tsx';
import type { FlowElements } from '../picture/elements.ts';
import type { CanvasNode } from '../picture/nodes.tsx';
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

/** Sizes grow in steps, so that not every frame of a zoom computes all styles again. */
function inSteps(size: number): number {
  return Number((1.12 ** Math.round(Math.log(size) / Math.log(1.12))).toFixed(2));
}

/** Tells the styles how far away the picture is: what must be read from afar is drawn in sizes of the screen. */
export function useDistance(root: RefObject<HTMLElement | null>, detail: Detail): string {
  const far = useViewStore(({ transform }) => (detail === 'groups' ? inSteps(1 / transform[2]) : 1));
  const isSmall = useViewStore(({ transform }) => detail !== 'groups' && transform[2] < zoomOfDetails);
  useEffect(() => root.current?.style.setProperty('--far', String(far)), [root, far]);
  return detail === 'groups' ? 'canvas from-afar' : isSmall ? 'canvas small-names' : 'canvas';
}
