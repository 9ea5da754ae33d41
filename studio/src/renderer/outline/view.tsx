import { type CSSProperties, useEffect, useMemo, useRef, useState } from 'react';
import { useCaret } from '../editor/caret/use-caret.ts';
import { editorsOf } from '../editor/editors.ts';
import { revealOffsets } from '../editor/reveal.ts';
import { useStudio } from '../shell/studio.ts';
import { IconButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { lookOf } from './look.ts';
import { type OutlineRow, outlineRows, rowAt } from './rows.ts';
import { treeStep } from './tree-keys.ts';
import { useStructure, useTypes } from './use-structure.ts';

/** The blocks and rules of the file at hand; it follows the caret, and a click moves it. */
export function OutlineSection() {
  const studio = useStudio();
  const active = useStore(editorsOf(studio).active);
  const focus = useStore(studio.focus);
  const { diagnostics } = useStore(studio.language.checked);
  const caret = useCaret(active);
  const path = active?.document.path ?? focus?.path;
  const offset = active === undefined ? focus?.start : caret?.offset;
  const items = useStructure(path);
  const types = useTypes(path);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const { name, rows } = useMemo(
    () =>
      outlineRows(
        items,
        closed,
        diagnostics.filter(({ file }) => file === path),
        types,
      ),
    [items, closed, diagnostics, types, path],
  );
  const current = offset === undefined ? undefined : rowAt(rows, offset);
  const toggle = (id: string) => setClosed((all) => toggled(all, id));
  const go = ({ item: { selection } }: OutlineRow, takesFocus: boolean) => {
    if (path !== undefined)
      revealOffsets(studio, path, selection.start, selection.end, takesFocus).catch((error) =>
        studio.notices.failed(error),
      );
  };
  const sub = name ?? path?.slice(path.lastIndexOf('/') + 1);
  const isFoldable = rows.some((row) => row.isOpen);
  const collapse = () => setClosed(new Set(rows.flatMap((row) => (row.isOpen ? [row.id] : []))));
  return (
    <Section
      title="Outline"
      sub={sub}
      fill
      tools={isFoldable && <IconButton icon="collapse" label="Collapse the outline" onClick={collapse} />}
    >
      {rows.length > 0 ? (
        <OutlineTree rows={rows} current={current} onToggle={toggle} onGo={go} />
      ) : (
        <p className="empty-line">
          {path === undefined ? 'Open a file to see what is in it.' : 'There is no block in this file yet.'}
        </p>
      )}
    </Section>
  );
}

interface OutlineTreeProps {
  readonly rows: readonly OutlineRow[];
  readonly current: OutlineRow | undefined;
  readonly onToggle: (id: string) => void;
  readonly onGo: (row: OutlineRow, takesFocus: boolean) => void;
}

function OutlineTree({ rows, current, onToggle, onGo }: OutlineTreeProps) {
  const tree = useRef<HTMLDivElement>(null);
  const entry = current?.id ?? rows[0]?.id;
  const [reached, setReached] = useState<string>();
  const tabStop = rows.some(({ id }) => id === reached) ? reached : entry;
  useEffect(() => {
    setReached(undefined);
    tree.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
    void entry;
  }, [entry]);
  const focusRow = (id: string) => {
    setReached(id);
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
  };
  return (
    <div ref={tree} className="outline-tree" role="tree" aria-label="Outline">
      {rows.map((row) => (
        <div
          key={row.id}
          role="treeitem"
          data-row={row.id}
          className={row === current ? 'row selected' : 'row'}
          style={{ '--d': row.level - 1 } as CSSProperties}
          aria-level={row.level}
          aria-expanded={row.isOpen}
          aria-selected={row === current}
          tabIndex={row.id === tabStop ? 0 : -1}
          onClick={() => onGo(row, false)}
          onDoubleClick={() => onGo(row, true)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' || event.key === ' ') onGo(row, event.key === 'Enter');
            else {
              const step = treeStep(rows, row.id, event.key);
              if (step === undefined) return;
              if ('go' in step) focusRow(step.go);
              else onToggle(step.toggle);
            }
            event.preventDefault();
          }}
        >
          <Twisty row={row} onToggle={onToggle} />
          <RowIcon row={row} />
          <span className="name">{row.title}</span>
          <span className="meta">
            {row.severity === undefined ? (
              row.detail
            ) : (
              <Icon name={row.severity} size="small" className={`ink ${row.severity}`} label={row.severity} />
            )}
          </span>
        </div>
      ))}
    </div>
  );
}

/** Opens and closes with the mouse; the arrow keys do the same. */
function Twisty({
  row: { id, isOpen },
  onToggle,
}: {
  readonly row: OutlineRow;
  readonly onToggle: (id: string) => void;
}) {
  if (isOpen === undefined) return <span className="lead" />;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the row around it takes the keys
    // biome-ignore lint/a11y/useKeyWithClickEvents: the row around it takes the keys
    <span
      className="lead twisty"
      onClick={(event) => {
        event.stopPropagation();
        onToggle(id);
      }}
    >
      <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
    </span>
  );
}

function RowIcon({ row: { item } }: { readonly row: OutlineRow }) {
  const { icon, className } = lookOf(item);
  return <Icon name={icon} className={className} />;
}

function toggled(all: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(all);
  if (!next.delete(id)) next.add(id);
  return next;
}
