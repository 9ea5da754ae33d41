import type { Diagnostic } from '@svc/protocol/text';
import { type KeyboardEvent, type MouseEvent, useEffect, useMemo, useRef } from 'react';
import type { MenuItem } from '../shell/menus.ts';
import { type Studio, useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { Explorer } from './explorer.ts';
import { NameFieldRow } from './name-field.tsx';
import type { ProblemCount } from './problem-count.ts';
import { RowView } from './row.tsx';
import { isInside, moveInTree, treeRows, typeAhead } from './tree.ts';

/** Milliseconds after which letters begin a new search. */
const typingPause = 700;

/** The folders and files of the project. */
export function FileTree({ explorer }: { readonly explorer: Explorer }) {
  const studio = useStudio();
  const entries = useStore(studio.project.entries);
  const unfolded = useStore(explorer.unfolded);
  const focused = useStore(explorer.focused);
  const field = useStore(explorer.field);
  const rows = useMemo(() => treeRows(entries, unfolded), [entries, unfolded]);
  const problems = useProblems(studio);
  const tree = useRef<HTMLDivElement>(null);
  const shownAt = useRef<string | undefined>(undefined);
  const typed = useRef({ text: '', at: 0 });
  const reachable = rows.some(({ path }) => path === focused) ? focused : rows[0]?.path;

  const focusRow = (path: string) => {
    explorer.focused.set(path);
    tree.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(path)}"]`)?.focus();
  };
  useEffect(() => {
    if (focused === undefined) return;
    const row = tree.current?.querySelector<HTMLElement>(`[data-path="${CSS.escape(focused)}"]`);
    if (shownAt.current !== focused) row?.scrollIntoView({ block: 'nearest' });
    shownAt.current = focused;
    if (row && explorer.takesFocus) {
      explorer.takesFocus = false;
      row.focus();
    }
  });

  const type = (key: string) => {
    const now = performance.now();
    typed.current = { text: (now - typed.current.at < typingPause ? typed.current.text : '') + key, at: now };
    const found = typeAhead(rows, reachable, typed.current.text);
    if (found !== undefined) focusRow(found);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const row = rows.find(({ path }) => path === reachable);
    if (event.target instanceof HTMLInputElement || event.ctrlKey || event.metaKey || event.altKey) return;
    const { key } = event;
    const move = moveInTree(rows, reachable, key);
    const isPlain = key.length === 1 && key !== ' ';
    if (move !== undefined) {
      if ('focus' in move) focusRow(move.focus);
      else if ('unfold' in move) explorer.setOpen(move.unfold, true);
      else explorer.setOpen(move.fold, false);
    } else if (row === undefined) return;
    else if (key === 'Enter' || key === ' ') choose(explorer, row);
    else if (key === 'F2') explorer.startRename(row.path);
    else if (key === 'Delete') void explorer.remove(row.path).catch(studio.commands.onFailure);
    else if (key === 'ContextMenu' || (key === 'F10' && event.shiftKey)) {
      const box = tree.current?.querySelector(`[data-path="${CSS.escape(row.path)}"]`)?.getBoundingClientRect();
      showMenu(studio, explorer, row, box?.left ?? 0, box?.bottom ?? 0);
    } else if (isPlain) type(key);
    else return;
    event.preventDefault();
  };
  const onContextMenu = (event: MouseEvent) => {
    const path = (event.target as Element).closest('[data-path]')?.getAttribute('data-path');
    const row = rows.find((each) => each.path === path);
    event.preventDefault();
    if (row) explorer.focused.set(row.path);
    showMenu(studio, explorer, row, event.clientX, event.clientY);
  };

  if (entries.length === 0 && field === undefined) return <EmptyFolder explorer={explorer} />;
  const fieldAt = field && field.kind !== 'rename' ? rows.findIndex(({ path }) => path === field.folder) : -1;
  return (
    <div
      ref={tree}
      className="tree file-tree"
      role="tree"
      aria-label="Files"
      tabIndex={-1}
      onKeyDown={onKeyDown}
      onContextMenu={onContextMenu}
    >
      {field && field.kind !== 'rename' && fieldAt < 0 && <NameFieldRow {...{ explorer, field }} depth={0} />}
      {rows.map((row, index) => (
        <RowView
          key={row.path}
          row={row}
          problems={countProblems(problems, row)}
          isReachable={row.path === reachable}
          field={field?.kind === 'rename' && field.path === row.path ? field : undefined}
          explorer={explorer}
          onChoose={() => {
            focusRow(row.path);
            choose(explorer, row);
          }}
        >
          {field && field.kind !== 'rename' && index === fieldAt && (
            <NameFieldRow {...{ explorer, field }} depth={row.depth + 1} />
          )}
        </RowView>
      ))}
    </div>
  );
}

function EmptyFolder({ explorer }: { readonly explorer: Explorer }) {
  return (
    <div className="empty">
      <p>The folder has no files yet.</p>
      <div className="acts">
        <button type="button" className="button" onClick={() => explorer.startNew('file')}>
          New file
        </button>
      </div>
      <span className="command-line">
        <Icon name="terminal" />
        svc init orders
      </span>
    </div>
  );
}

function choose(
  explorer: Explorer,
  { path, kind, isOpen }: { path: string; kind: 'file' | 'folder'; isOpen: boolean },
) {
  if (kind === 'folder') explorer.setOpen(path, !isOpen);
  else explorer.open(path);
}

function showMenu(
  studio: Studio,
  explorer: Explorer,
  row: { path: string; kind: string } | undefined,
  x: number,
  y: number,
) {
  const { menus, layout, commands } = studio;
  const path = row?.path;
  const ofRow: readonly (MenuItem | undefined)[] =
    path === undefined
      ? []
      : [
          ...(row?.kind === 'file'
            ? [
                { title: 'Open', keys: 'enter', run: () => explorer.open(path) },
                {
                  title: 'Open to the side',
                  run: () => layout.open(`text:${path}`, Math.min(1, layout.editors.value.groups.length)),
                },
                undefined,
              ]
            : []),
        ];
  const ofEnd: readonly (MenuItem | undefined)[] =
    path === undefined
      ? []
      : [
          undefined,
          { title: 'Rename', keys: 'f2', run: () => explorer.startRename(path) },
          {
            title: 'Delete',
            keys: 'delete',
            icon: 'trash',
            run: () => void explorer.remove(path).catch(commands.onFailure),
          },
          undefined,
          { title: 'Copy path', icon: 'copy', run: () => void navigator.clipboard.writeText(path) },
        ];
  const items: readonly (MenuItem | undefined)[] = [
    ...ofRow,
    { title: 'New file', icon: 'plus', run: () => explorer.startNew('file', path) },
    { title: 'New folder', icon: 'folder', run: () => explorer.startNew('folder', path) },
    ...ofEnd,
  ];
  menus.show({ label: path ?? 'Explorer', x, y, items });
}

function useProblems({ language }: Studio): ReadonlyMap<string, ProblemCount> {
  const { diagnostics } = useStore(language.checked);
  return useMemo(() => countByFile(diagnostics), [diagnostics]);
}

function countByFile(diagnostics: readonly Diagnostic[]): ReadonlyMap<string, ProblemCount> {
  const counts = new Map<string, ProblemCount>();
  for (const { file, severity } of diagnostics) {
    const { errors, warnings } = counts.get(file) ?? { errors: 0, warnings: 0 };
    if (severity === 'error') counts.set(file, { errors: errors + 1, warnings });
    else if (severity === 'warning') counts.set(file, { errors, warnings: warnings + 1 });
  }
  return counts;
}

/** A closed folder counts for all files in it. */
function countProblems(
  counts: ReadonlyMap<string, ProblemCount>,
  { path, kind, isOpen }: { path: string; kind: 'file' | 'folder'; isOpen: boolean },
): ProblemCount | undefined {
  if (kind === 'file') return counts.get(path);
  if (isOpen) return undefined;
  const inside = [...counts].filter(([file]) => isInside(file, path)).map(([, each]) => each);
  const sum = (of: keyof ProblemCount) => inside.reduce((total, each) => total + each[of], 0);
  return inside.length === 0 ? undefined : { errors: sum('errors'), warnings: sum('warnings') };
}
