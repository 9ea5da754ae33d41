import { editorsOf } from '../../editor/editors.ts';
import type { Studio } from '../../shell/studio.ts';
import { flowsOf } from './flow-map.ts';
import { debugOf } from './session.ts';

/** Keeps which flows the person sees: the one that the caret or the selection is in, then those of the texts on the screen. */
export function followView(studio: Studio): void {
  const flows = flowsOf(studio);
  const editors = editorsOf(studio);
  const { model } = debugOf(studio);
  const look = () => {
    const { value: focus } = studio.focus;
    const paths = new Set(editors.open.value.map(({ document }) => document.path));
    const all = flows.outline.value.flows;
    const own = all.find(
      ({ file, range }) =>
        focus !== undefined && file === focus.path && range.start <= focus.start && focus.start <= range.end,
    );
    const shown = all.filter((flow) => flow !== own && paths.has(flow.file));
    const names = [...(own ? [own] : []), ...shown].map(({ name }) => name);
    const { value: known } = model.inView;
    if (names.length !== known.length || names.some((name, at) => name !== known[at])) model.inView.set(names);
  };
  for (const store of [editors.open, flows.outline, studio.focus]) store.subscribe(look);
}
