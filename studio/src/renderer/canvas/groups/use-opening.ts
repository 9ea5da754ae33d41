import { getViewportForBounds, useReactFlow } from '@xyflow/react';
import { type RefObject, useEffect, useRef } from 'react';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { boundsOf, type Canvas } from '../canvas.ts';
import { useCanvas } from '../context.ts';
import { boxOf } from '../graph/boxes.ts';
import { currentFlow } from './current.ts';
import { zoomOfFlows } from './detail.ts';
import { framesOf } from './frames.ts';

export const fitting = { minZoom: 0.05, maxZoom: 1 } as const;
/** Zoom below which a picture that shows everything shows nothing in particular. */
const zoomOfReading = 0.5;
/** Also that of one flow beside its text: what cannot be read there need not be drawn. */
export const zoomOfWork = 0.9;

const edges = { top: '52px', bottom: '24px' } as const;
const near = { ...edges, left: '24px', right: '24px' } as const;
/** From afar, names of connectors are drawn beside them. */
const afar = { ...edges, left: '130px', right: '130px' } as const;

/**
 * What is in sight until the person moves the picture: everything where it can be read, else the flow that the person is
 * at, and everything where that is at no flow.
 */
export function useOpening(root: RefObject<HTMLElement | null>, isReady: boolean) {
  const studio = useStudio();
  const canvas = useCanvas();
  const view = useReactFlow();
  const mode = useRef<'opening' | 'whole' | 'moved'>('opening');
  const by = useStore(canvas.drawn, ({ groups, alone }) => alone ?? groups?.[0]?.by);
  const look = () => {
    const element = root.current;
    if (element === null || mode.current === 'moved' || canvas.drawn.value.graph.nodes.length === 0) return;
    const { width, height } = element.getBoundingClientRect();
    if (mode.current === 'opening' && canvas.drawn.value.alone !== undefined)
      return void view.setViewport(besideText(canvas, width, height));
    const whole = wholeOf(canvas, width, height);
    const isUnreadable = whole.zoom < zoomOfReading;
    const flow = mode.current === 'opening' && isUnreadable ? currentFlow(studio, canvas) : undefined;
    const centre = flow === undefined ? undefined : centreOf(canvas, flow);
    if (centre === undefined) void view.setViewport(whole);
    else {
      const [x, y] = [width / 2 - centre.x * zoomOfWork, height / 2 - centre.y * zoomOfWork];
      void view.setViewport({ x, y, zoom: zoomOfWork });
    }
  };
  const last = useRef(look);
  last.current = look;
  useEffect(() => {
    if (!isReady || root.current === null) return;
    const watch = new ResizeObserver(() => last.current());
    watch.observe(root.current);
    return () => watch.disconnect();
  }, [isReady, root]);
  // Another flow beside its text is another picture, and everything is at another place when flows are put together otherwise.
  const placed = useRef(by);
  useEffect(() => {
    if (placed.current === by) return;
    placed.current = by;
    mode.current = 'opening';
    last.current();
  }, [by]);
  return {
    fit: () => {
      mode.current = 'whole';
      look();
    },
    moved: () => {
      mode.current = 'moved';
    },
  };
}

function wholeOf(canvas: Canvas, width: number, height: number) {
  const drawn = canvas.drawn.value;
  const { minZoom } = fitting;
  const maxZoom = drawn.alone === undefined ? fitting.maxZoom : zoomOfWork;
  const whole = getViewportForBounds(boundsOf(drawn), width, height, minZoom, maxZoom, near);
  if (drawn.groups === undefined || whole.zoom >= zoomOfFlows) return whole;
  return getViewportForBounds(boundsOf(drawn), width, height, minZoom, maxZoom, afar);
}

function centreOf({ drawn }: Canvas, flow: string) {
  const { graph, points } = drawn.value;
  const node = graph.nodes.find(({ id }) => id === flow);
  const point = points.get(flow);
  return node && point && { x: point.x + node.width / 2, y: point.y + node.height / 2 };
}

/** One flow, at the zoom of work: all of it where there is room, else the stage that the person is at, and before that where it begins. */
function besideText(canvas: Canvas, width: number, height: number) {
  const drawn = canvas.drawn.value;
  const bounds = boundsOf(drawn);
  const { place } = canvas;
  const at = place?.stage !== undefined && place.flow?.id === drawn.alone ? boxOf(drawn, place) : undefined;
  return {
    x: offsetOf(bounds.x, bounds.width, width, { before: 16, after: 16 }, at && at.x + at.width / 2),
    y: offsetOf(bounds.y, bounds.height, height, { before: 52, after: 56 }, at && at.y + at.height / 2),
    zoom: zoomOfWork,
  };
}

/** Where the view begins along one axis: in the middle of what fits into its room; else at a place, but never beyond the ends. */
export function offsetOf(
  start: number,
  length: number,
  room: number,
  margin: { readonly before: number; readonly after: number },
  place: number | undefined,
): number {
  const free = room - margin.before - margin.after - length * zoomOfWork;
  const first = margin.before - start * zoomOfWork;
  if (free >= 0) return first + free / 2;
  if (place === undefined) return first;
  const middle = margin.before + (room - margin.before - margin.after) / 2 - place * zoomOfWork;
  return Math.max(first + free, Math.min(first, middle));
}

/** What shows a group with the names of its flows: all of it where that can be read, else where it begins. */
export function sightOfGroup({ drawn }: Canvas, id: string, width: number, height: number) {
  const frame = framesOf(drawn.value).find(({ group }) => group.id === id);
  if (frame === undefined) return undefined;
  const whole = getViewportForBounds(frame, width, height, zoomOfReading, zoomOfWork, near);
  if (frame.width * whole.zoom <= width) return whole;
  return { x: 24 - frame.x * whole.zoom, y: 60 - frame.y * whole.zoom, zoom: whole.zoom };
}
