import { type CSSProperties, type KeyboardEvent, useRef, useState } from 'react';
import { treeStep } from '../outline/tree-keys.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Icon } from '../theme/icon.tsx';
import type { TestActions } from './actions.ts';
import { looks } from './look.ts';
import { tookText } from './results.ts';
import type { TestRow } from './rows.ts';

interface TestTreeProps {
  readonly rows: readonly TestRow[];
  readonly selected: string | undefined;
  readonly isBusy: boolean;
  readonly actions: TestActions;
  readonly onToggle: (id: string) => void;
}

/** Files of tests and their tests. Enter shows the text, Space runs, D debugs; the menu has the same. */
export function TestTree({ rows, selected, isBusy, actions, onToggle }: TestTreeProps) {
  const { menus } = useStudio();
  const tree = useRef<HTMLDivElement>(null);
  const [reached, setReached] = useState<string>();
  const tabStop = [reached, selected].find((id) => rows.some((row) => row.id === id)) ?? rows[0]?.id;
  const focusRow = (id: string) => {
    setReached(id);
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
  };
  const open = (row: TestRow, takesFocus: boolean) => {
    setReached(row.id);
    if (row.test === undefined) return onToggle(row.id);
    actions.select(row.test);
    actions.show(row.test, takesFocus);
  };
  const press = (row: TestRow, event: KeyboardEvent) => {
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter') open(row, true);
    else if (event.key === ' ') actions.run(row.tests);
    else if (event.key === 'd' && row.test !== undefined && !event.ctrlKey && !event.altKey) actions.debug(row.test);
    else {
      const step = treeStep(rows, row.id, event.key);
      if (step === undefined) return;
      if ('go' in step) focusRow(step.go);
      else onToggle(step.toggle);
    }
    event.preventDefault();
  };
  return (
    <div ref={tree} className="test-tree" role="tree" aria-label="Tests">
      {rows.map((row) => {
        const { icon, ink, label } = looks[row.verdict];
        const took = row.state.outcome && !row.state.isRunning ? tookText(row.state.outcome.milliseconds) : '';
        return (
          <div
            key={row.id}
            role="treeitem"
            data-row={row.id}
            className={row.id === selected ? 'row selected' : 'row'}
            style={{ '--d': row.level - 1 } as CSSProperties}
            aria-level={row.level}
            aria-expanded={row.isOpen}
            aria-selected={row.id === selected}
            tabIndex={row.id === tabStop ? 0 : -1}
            title={row.test === undefined ? row.id : row.title}
            onClick={() => open(row, false)}
            onDoubleClick={() => row.test && actions.show(row.test)}
            onKeyDown={(event) => press(row, event)}
            onContextMenu={(event) => {
              event.preventDefault();
              if (row.test === undefined) return;
              menus.show({ label: row.title, x: event.clientX, y: event.clientY, items: actions.menuOf(row.test) });
            }}
          >
            {row.isOpen === undefined ? (
              <span className="lead" />
            ) : (
              <span className="lead twisty">
                <Icon name={row.isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
              </span>
            )}
            <span className={`ink ${ink} verdict`}>
              <Icon name={icon} label={label} />
            </span>
            <span className="name">{row.title}</span>
            <span className="meta numeric">{row.test === undefined ? row.tests.length : took}</span>
            <RowButtons row={row} isBusy={isBusy} actions={actions} />
          </div>
        );
      })}
    </div>
  );
}

/** The mouse's way; keys of the row and its menu do the same. */
function RowButtons({ row, isBusy, actions }: Pick<TestTreeProps, 'isBusy' | 'actions'> & { readonly row: TestRow }) {
  const { test } = row;
  return (
    <span className="row-buttons" aria-hidden="true" onClick={(event) => event.stopPropagation()}>
      <IconButton icon="play" label="Run" tabIndex={-1} disabled={isBusy} onClick={() => actions.run(row.tests)} />
      {test !== undefined && (
        <IconButton icon="bug" label="Debug" tabIndex={-1} disabled={isBusy} onClick={() => actions.debug(test)} />
      )}
    </span>
  );
}
