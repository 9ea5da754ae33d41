import type { KeyboardEvent, RefObject } from 'react';
import { gitOf } from '../git/git.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { Filter } from './canvas.ts';
import { useCanvas } from './context.ts';
import { foundPlaces } from './find.ts';
import { GroupingField } from './groups/grouping-field.tsx';

interface CanvasBarProps {
  readonly find: RefObject<HTMLInputElement | null>;
  readonly onFound: (id: string) => void;
  readonly onLeave: () => void;
}

const filters = ['all', 'changed', 'failing'] as const;
const filterTitles: Readonly<Record<Filter, readonly [name: string, title: string]>> = {
  all: ['All', 'Everything'],
  changed: ['Changed', 'Flows and connectors that differ from the last commit'],
  failing: ['Failing', 'Flows and connectors with problems'],
};

/** Finds, filters, adds. */
export function CanvasBar({ find, onFound, onLeave }: CanvasBarProps) {
  const canvas = useCanvas();
  const studio = useStudio();
  const { commands } = studio;
  const sought = useStore(canvas.sought);
  const filter = useStore(canvas.filter);
  const isInGit = useStore(gitOf(studio).state, (state) => state !== undefined);
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.key === 'Escape') {
      canvas.sought.set('');
      onLeave();
    } else if (event.key === 'Enter') {
      const found = foundPlaces(canvas, sought);
      const at = found.indexOf(canvas.selected.value ?? '');
      const next = found[(at + (event.shiftKey ? found.length - 1 : 1)) % found.length];
      if (next !== undefined) onFound(next);
    } else return;
    event.preventDefault();
  };
  return (
    <div className="canvas-bar">
      <div className="items">
        <label className="search">
          <Icon name="search" />
          <input
            ref={find}
            className="grow"
            placeholder="Find on canvas"
            aria-label="Find on canvas"
            value={sought}
            onChange={({ target }) => canvas.sought.set(target.value)}
            onKeyDown={onKeyDown}
          />
          <kbd>/</kbd>
        </label>
        <fieldset className="switch" aria-label="What is drawn">
          {filters
            .filter((each) => each !== 'changed' || isInGit)
            .map((each) => (
              <button
                key={each}
                type="button"
                className={each === filter ? 'on' : undefined}
                aria-pressed={each === filter}
                title={filterTitles[each][1]}
                onClick={() => canvas.filter.set(each)}
              >
                {filterTitles[each][0]}
              </button>
            ))}
        </fieldset>
        <GroupingField />
        <button
          type="button"
          className="button"
          title="Add a connector"
          onClick={() => commands.run('canvas.addConnector')}
        >
          <Icon name="plug" className="instead" />
          <Icon name="plus" />
          <span className="word">Connector</span>
        </button>
        <button type="button" className="button" title="Add a flow" onClick={() => commands.run('canvas.addFlow')}>
          <Icon name="flow" className="instead" />
          <Icon name="plus" />
          <span className="word">Flow</span>
        </button>
      </div>
    </div>
  );
}
