import { debugOf } from '../../debug/session/session.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Canvas } from '../canvas.ts';
import { placeAt } from '../graph/places.ts';

/** The id of the flow that the person is at: where a thread is paused, what is selected, where the caret is. */
export function currentFlow(studio: Studio, canvas: Canvas): string | undefined {
  const { current } = debugOf(studio).model;
  const paused = current?.isPaused === true ? current.flow : undefined;
  if (paused !== undefined) return canvas.outline.value.flows.find(({ name }) => name === paused)?.id;
  const focus = studio.focus.value;
  const place = canvas.place ?? (focus && placeAt(canvas.places, focus.path, focus.start));
  return place?.flow?.id;
}
