import { useRef } from 'react';
import { partsOf, tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import { editorsOf } from './editors.ts';
import { modeOf, type ViewMode, withMode } from './view-mode.ts';

const modes: readonly (readonly [mode: ViewMode, title: string, icon: IconName])[] = [
  ['text', 'Text', 'code'],
  ['canvas', 'Canvas', 'graph'],
  ['split', 'Split', 'split'],
];

/** Text, canvas or both; at the right of the tabs of the first group. */
export function ViewSwitch({ group }: { readonly group: number }) {
  const studio = useStudio();
  const { layout, contributions, focus } = studio;
  const editors = editorsOf(studio);
  const state = useStore(layout.editors);
  const hasCanvas = useStore(contributions.editorKinds).has('canvas');
  const last = useRef<string>(undefined);
  const mode = modeOf(state);
  const text = state.groups.map(({ active }) => active).find((active) => active && partsOf(active).kind === 'text');
  if (text !== undefined) last.current = text;
  if (group !== 0 || mode === undefined) return null;
  const path = editors.active.value?.document.path ?? focus.value?.path;
  const show = (wanted: ViewMode) =>
    layout.editors.set(withMode(state, wanted, last.current ?? (path && tabOf('text', path))));
  return (
    <fieldset className="switch" aria-label="What to show">
      {modes.map(([each, title, icon]) => {
        const isMissing = each !== 'text' && !hasCanvas;
        return (
          <button
            key={each}
            type="button"
            className={each === mode ? 'on' : undefined}
            aria-pressed={each === mode}
            disabled={isMissing}
            title={isMissing ? `${title}: there is no canvas in this window` : title}
            onClick={() => show(each)}
          >
            <Icon name={icon} />
            <span className="switch-title">{title}</span>
          </button>
        );
      })}
    </fieldset>
  );
}
