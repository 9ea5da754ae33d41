import { useReactFlow, useStoreApi } from '@xyflow/react';
import { useEffect, useRef } from 'react';
import { useStore } from '../../state/use-store.ts';
import type { Canvas } from '../canvas.ts';
import { type Box, boxOf } from '../graph/boxes.ts';

/** Pixels of the view that its bars cover. */
const covered = { top: 52, bottom: 56, left: 16, right: 16 };

/** Below this zoom, names cannot be read. */
const leastZoom = 0.6;

interface Sight {
  readonly x: number;
  readonly y: number;
  readonly zoom: number;
  readonly width: number;
  readonly height: number;
}

/** Whether a box can be seen as a whole, beside what bars cover. */
export function isInSight({ x, y, width, height }: Box, sight: Sight): boolean {
  const left = x * sight.zoom + sight.x;
  const top = y * sight.zoom + sight.y;
  return (
    left >= covered.left &&
    top >= covered.top &&
    left + width * sight.zoom <= sight.width - covered.right &&
    top + height * sight.zoom <= sight.height - covered.bottom
  );
}

/** What to bring into the middle so that a place is seen: all of its flow where there is room for that. */
export function middleFor(place: Box, whole: Box, { zoom, width, height }: Pick<Sight, 'zoom' | 'width' | 'height'>) {
  const fits =
    whole.width * zoom <= width - covered.left - covered.right &&
    whole.height * zoom <= height - covered.top - covered.bottom;
  const box = fits ? whole : place;
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/** Brings into sight what was asked for, as soon as there is a graph and it is drawn: a stage is in the card of its flow. */
export function useReveal(canvas: Canvas, hasGraph: boolean): void {
  const view = useReactFlow();
  const store = useStoreApi();
  const shown = useStore(canvas.shown);
  const drawn = useStore(canvas.drawn);
  const done = useRef<typeof shown>(undefined);
  useEffect(() => {
    if (!hasGraph || shown === undefined || done.current === shown) return;
    const place = canvas.places.get(shown.id);
    if (place === undefined) return;
    const { flow } = place;
    const node = flow && drawn.graph.nodes.find(({ id }) => id === flow.id);
    // The card is drawn soon.
    if (flow && node?.kind === 'flow' && canvas.open.value.has(flow.id) && !node.isOpen) return;
    const box = boxOf(drawn, place);
    if (box === undefined) return;
    done.current = shown;
    const { width, height } = store.getState();
    const { x, y, zoom } = view.getViewport();
    // Beside its text, a flow has the zoom at which all of it is seen.
    const least = drawn.alone === undefined ? leastZoom : 0;
    if (zoom >= least && isInSight(box, { x, y, zoom, width, height })) return;
    const wanted = Math.max(zoom, least);
    const whole = (flow && boxOf(drawn, { ...place, stage: undefined, rule: undefined })) ?? box;
    const middle = middleFor(box, whole, { zoom: wanted, width, height });
    void view.setCenter(middle.x, middle.y, { zoom: wanted });
  }, [hasGraph, shown, drawn, canvas, view, store]);
}
