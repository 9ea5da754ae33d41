import { partsOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { editorsOf } from './editors.ts';
import { select, showText } from './reveal.ts';
import { modeOf } from './view-mode.ts';

/**
 * Texts go where the person is in the canvas, the tree or a stop of the debugger: revealed and selected, while the focus
 * stays where it is. A stop brings its file, unless the person looks at the canvas, which shows the place itself; the
 * canvas brings one only where a text is in sight.
 */
export function followFocus(studio: Studio): void {
  const { focus, layout, project } = studio;
  const editors = editorsOf(studio);
  focus.subscribe(() => {
    const place = focus.value;
    if (place === undefined || place.by === 'text') return;
    const showing = editors.open.value.filter(({ document }) => document.path === place.path);
    if (showing.length > 0) {
      for (const open of showing) select(open, open.document.rangeOf(place.start, place.end));
      return;
    }
    const inSight = layout.editors.value.groups.some(({ active }) => active && partsOf(active).kind === 'text');
    const isDrawn = modeOf(layout.editors.value) === 'canvas';
    if (inSight || (place.by === 'debug' && !isDrawn))
      project.open(place.path).then(
        () => focus.value === place && showText(layout, place.path, false),
        // Another folder has been opened meanwhile, which has no such file, or the person has gone elsewhere.
        (error: unknown) => focus.value === place && studio.notices.failed(error),
      );
  });
  project.onFolder(() => focus.set(undefined));
  // A text that comes later still goes there.
  editors.extend((open) => {
    const place = focus.value;
    if (place !== undefined && place.by !== 'text' && place.path === open.document.path)
      select(open, open.document.rangeOf(place.start, place.end));
    return () => {};
  });
}
