import { useEffect, useState } from 'react';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import type { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { ago, plural } from './list.ts';

/** When the project was checked, and the field that narrows the list. */
export function ProblemTools({ filter }: { readonly filter: Store<string> }) {
  const text = useStore(filter);
  return (
    <>
      <span className="panel-hint faint numeric problem-hint">
        <CheckedAgo />
      </span>
      <label className="input problem-filter">
        <Icon name="filter" />
        <input
          type="text"
          aria-label="Filter problems"
          placeholder="Filter"
          value={text}
          onChange={({ target }) => filter.set(target.value)}
          onKeyDown={({ key }) => key === 'Escape' && filter.set('')}
        />
      </label>
      {text !== '' && <IconButton icon="close" label="Show all problems" onClick={() => filter.set('')} />}
    </>
  );
}

/** `14 files, checked 80 ms ago`; it grows older before one's eyes. */
export function CheckedAgo() {
  const { language } = useStudio();
  const { at, files } = useStore(language.checked);
  const [now, setNow] = useState(Date.now);
  // Every place that says this counts from the check, so that all say the same.
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new check begins a new count
  useEffect(() => {
    setNow(Date.now());
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [at]);
  return at === undefined ? null : `${plural(files, 'file')}, checked ${ago(Math.max(0, now - at))}`;
}
