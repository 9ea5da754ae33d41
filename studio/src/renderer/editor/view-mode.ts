import { type EditorGroup, type EditorsState, partsOf, type TabAddress, tabOf } from '../shell/layout.ts';

/** What the editor area shows of a service: its text, its picture, or both side by side. */
export type ViewMode = 'text' | 'canvas' | 'split';

const canvas = tabOf('canvas', '');

/** What is shown now; undefined where neither a text nor the canvas is. */
export function modeOf({ groups }: EditorsState): ViewMode | undefined {
  const kinds = groups.map(({ active }) => active && partsOf(active).kind);
  const hasText = kinds.includes('text');
  if (kinds.includes('canvas')) return hasText ? 'split' : 'canvas';
  return hasText ? 'text' : undefined;
}

/** The same tabs in another mode. `text` is the text to show where no tab is active. */
export function withMode(state: EditorsState, mode: ViewMode, text: TabAddress | undefined): EditorsState {
  const groups = state.groups.map(withoutCanvas).filter(({ tabs }, index) => tabs.length > 0 || index === 0);
  const [first, ...rest] = groups as [EditorGroup, ...EditorGroup[]];
  const others = rest.map(({ tabs, active }) => ({ tabs, active: active ?? tabs.at(-1) }));
  const shown = withText(first, text);
  if (mode === 'text') return { groups: [shown, ...others], focused: Math.min(state.focused, others.length) };
  if (mode === 'canvas') return { groups: [{ tabs: [...first.tabs, canvas], active: canvas }, ...others], focused: 0 };
  const [second] = others;
  return { groups: [shown, { tabs: [...(second?.tabs ?? []), canvas], active: canvas }], focused: 0 };
}

function withoutCanvas({ tabs, active }: EditorGroup): EditorGroup {
  const rest = tabs.filter((tab) => partsOf(tab).kind !== 'canvas');
  return { tabs: rest, active: active !== undefined && rest.includes(active) ? active : undefined };
}

/** With a text in front: the one that is, one that is open, or the one that was last. */
function withText({ tabs, active }: EditorGroup, last: TabAddress | undefined): EditorGroup {
  const isText = (address: TabAddress | undefined) => address !== undefined && partsOf(address).kind === 'text';
  if (isText(active)) return { tabs, active };
  const text = last !== undefined && tabs.includes(last) ? last : (tabs.findLast(isText) ?? last);
  if (text === undefined) return { tabs, active: active ?? tabs.at(-1) };
  return { tabs: tabs.includes(text) ? tabs : [...tabs, text], active: text };
}
