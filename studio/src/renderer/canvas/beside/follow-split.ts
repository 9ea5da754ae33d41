import { modeOf } from '../../editor/view-mode.ts';
import { partsOf } from '../../shell/layout.ts';
import type { Studio } from '../../shell/studio.ts';
import type { Canvas } from '../canvas.ts';

/** Beside a text, the canvas draws the flow that the person is in, or that a thread stopped in, alone. */
export function followSplit({ layout }: Studio, canvas: Canvas): void {
  const look = () => {
    if (modeOf(layout.editors.value) !== 'split') return canvas.showAlone(undefined);
    const { alone, place } = canvas;
    const shown = layout.editors.value.groups.map(({ active }) => partsOf(active ?? ':'));
    const path = shown.find(({ kind }) => kind === 'text')?.path;
    const { flows } = canvas.outline.value;
    const own =
      (place?.file === path ? place?.flow : undefined) ??
      flows.find(({ file }) => file === path) ??
      flows.find(({ id }) => id === alone.value);
    canvas.showAlone(own?.id);
  };
  for (const store of [layout.editors, canvas.selected, canvas.outline]) store.subscribe(look);
}
