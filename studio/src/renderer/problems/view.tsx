import type { ProblemFix } from '@svc/protocol/language';
import type { Diagnostic } from '@svc/protocol/text';
import { useEffect, useMemo, useRef, useState } from 'react';
import { actionsFor, applyAction } from '../editor/code-action.ts';
import { revealOffsets } from '../editor/reveal.ts';
import { treeStep } from '../outline/tree-keys.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import type { Store } from '../state/store.ts';
import { useStore } from '../state/use-store.ts';
import { groupsOf, type ProblemRow, rowsOf } from './list.ts';
import { FileLine, ProblemLine } from './rows.tsx';
import { CheckedAgo } from './tools.tsx';

/** How many rows are drawn; with more problems, the list is narrowed or some are fixed. */
const mostRows = 1000;

export function ProblemsView({ filter }: { readonly filter: Store<string> }) {
  const studio = useStudio();
  const { diagnostics, at } = useStore(studio.language.checked);
  const wanted = useStore(filter);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [selected, setSelected] = useState<string>();
  const tree = useRef<HTMLDivElement>(null);
  const rows = useMemo(() => rowsOf(groupsOf(diagnostics, wanted), closed), [diagnostics, wanted, closed]);
  const fixes = useFixes();
  if (rows.length === 0) return <NoProblems isFiltered={diagnostics.length > 0} isChecked={at !== undefined} />;
  const shown = rows.slice(0, mostRows);
  const tabStop = shown.some(({ id }) => id === selected) ? selected : shown[0]?.id;
  const attempt = (work: Promise<void>) => work.catch((error: unknown) => studio.notices.failed(error));
  const select = (id: string) => {
    setSelected(id);
    tree.current?.querySelector<HTMLElement>(`[data-row="${CSS.escape(id)}"]`)?.focus();
  };
  const toggle = (id: string) =>
    setClosed((all) => {
      const next = new Set(all);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const fix = async (problem: Diagnostic, { x, y }: { readonly x: number; readonly y: number }) => {
    const [only, ...others] = await actionsFor(studio, problem);
    if (only === undefined) studio.notices.show('info', 'There is no fix for this problem that could be made here.');
    else if (others.length === 0) await applyAction(studio, only);
    else {
      const items = [only, ...others].map((action) => ({
        title: action.title,
        icon: 'bulb' as const,
        run: () => void attempt(applyAction(studio, action)),
      }));
      studio.menus.show({ label: 'Quick fixes', x, y, items });
    }
  };
  const show = ({ file, range }: Diagnostic, takesFocus: boolean) =>
    attempt(revealOffsets(studio, file, range.start, range.end, takesFocus));
  const open = (row: ProblemRow, takesFocus: boolean) => {
    setSelected(row.id);
    if (row.kind === 'file') toggle(row.id);
    else show(row.problem, takesFocus);
  };
  const press = (row: ProblemRow, event: React.KeyboardEvent) => {
    const step = treeStep(shown, row.id, event.key);
    if (event.target !== event.currentTarget) return;
    if (event.key === 'Enter' || event.key === ' ') open(row, event.key === 'Enter');
    else if (event.key === '.' && (event.ctrlKey || event.metaKey) && row.kind === 'problem')
      attempt(fix(row.problem, event.currentTarget.getBoundingClientRect()));
    else if (step === undefined) return;
    else if ('go' in step) select(step.go);
    else toggle(step.toggle);
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div ref={tree} className="problems" role="tree" aria-label="Problems">
      {shown.map((row) => (
        <div
          key={row.id}
          role="treeitem"
          data-row={row.id}
          className={`${row.kind === 'file' ? 'problem-file row' : 'problem-row'}${row.id === selected ? ' selected' : ''}`}
          aria-level={row.level}
          aria-expanded={row.isOpen}
          aria-selected={row.id === selected}
          tabIndex={row.id === tabStop ? 0 : -1}
          onClick={() => open(row, false)}
          onDoubleClick={() => row.kind === 'problem' && open(row, true)}
          onKeyDown={(event) => press(row, event)}
        >
          {row.kind === 'file' ? (
            <FileLine group={row.group} isOpen={row.isOpen === true} />
          ) : (
            <ProblemLine
              problem={row.problem}
              fix={row.problem.fix?.title ?? fixes.get(keyOf({ ...row.problem, start: row.problem.range.start }))}
              onFix={(x, y) => attempt(fix(row.problem, { x, y }))}
            />
          )}
        </div>
      ))}
      {rows.length > mostRows && (
        <p className="empty-line">{rows.length - mostRows} more: filter by file, code or words to see them.</p>
      )}
    </div>
  );
}

function NoProblems({ isFiltered, isChecked }: { readonly isFiltered: boolean; readonly isChecked: boolean }) {
  if (isFiltered) return <p className="empty-line">No problem holds these words.</p>;
  if (!isChecked)
    return (
      <EmptyState acts={[['project.open', 'Open folder']]} line="svc validate">
        Open a folder and it is checked here while you type.
      </EmptyState>
    );
  return (
    <p className="empty-line">
      No problems in <CheckedAgo />. On the command line: <code>svc validate</code>
    </p>
  );
}

/** What the first fix of each problem does, by `keyOf`. */
function useFixes(): ReadonlyMap<string, string> {
  const { language } = useStudio();
  const checked = useStore(language.checked);
  const [known, setKnown] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    if (checked.diagnostics.length === 0) return;
    const asking = new AbortController();
    language.ask('fixes', [mostRows], asking.signal).then(
      (fixes) => setKnown(new Map(fixes.map((fix) => [keyOf(fix), fix.title]))),
      () => undefined,
    );
    return () => asking.abort();
  }, [language, checked]);
  return known;
}

function keyOf({ file, start, code, message }: Omit<ProblemFix, 'title'>): string {
  return `${file}:${start} ${code} ${message}`;
}
