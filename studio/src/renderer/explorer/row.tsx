import type { CSSProperties, ReactNode } from 'react';
import { gitOf } from '../git/git.ts';
import { count } from '../shell/count.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { Explorer, NameField } from './explorer.ts';
import { fileLooksOf } from './file-looks.ts';
import { NameFieldRow } from './name-field.tsx';
import type { ProblemCount } from './problem-count.ts';
import type { TreeRow } from './tree.ts';

interface RowViewProps {
  readonly row: TreeRow;
  readonly problems: ProblemCount | undefined;
  readonly isReachable: boolean;
  /** Set while the name of this line is written. */
  readonly field: NameField | undefined;
  readonly explorer: Explorer;
  readonly onChoose: () => void;
  readonly children: ReactNode;
}

/** A line of the tree, or the field in which its name is changed. */
export function RowView({ row, problems, isReachable, field, explorer, onChoose, children }: RowViewProps) {
  const studio = useStudio();
  const { project, layout } = studio;
  const fileLooks = fileLooksOf(studio);
  const { path, name, kind, depth, isOpen, position, siblings } = row;
  const look = useStore(fileLooks.byContent, () => fileLooks.of(path));
  const isDirty = useStore(project.dirty, (dirty) => dirty.has(path));
  const change = useStore(gitOf(studio).byPath, (all) => all.get(path));
  const isShown = useStore(layout.editors, ({ groups, focused }) => groups[focused]?.active === `text:${path}`);
  if (field) return <NameFieldRow {...{ explorer, depth }} field={field} />;
  const severity = problems && (problems.errors > 0 ? 'error' : problems.warnings > 0 ? 'warning' : undefined);
  const className = ['row', isShown && 'selected', severity === 'error' && 'error'].filter(Boolean).join(' ');
  return (
    <>
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the tree around it takes the keys (WAI-ARIA, tree view) */}
      <div
        className={className}
        style={{ '--d': depth } as CSSProperties}
        data-path={path}
        role="treeitem"
        aria-level={depth + 1}
        aria-setsize={siblings}
        aria-posinset={position}
        aria-expanded={kind === 'folder' ? isOpen : undefined}
        aria-selected={isShown}
        title={path}
        tabIndex={isReachable ? 0 : -1}
        onFocus={() => explorer.focused.set(path)}
        onClick={onChoose}
      >
        {kind === 'folder' ? (
          <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
        ) : (
          <>
            <span className="lead" />
            <Icon name={look.name} className={`type-icon ${look.className ?? ''}`} />
          </>
        )}
        <span className="name">{name}</span>
        <span className="meta">
          {kind === 'folder' && !isOpen && !severity && row.files > 0 && (
            <>
              {row.files} <span className="visually-hidden">files</span>
            </>
          )}
          {problems && severity && (
            <span className={`flag ${severity}`}>
              {problems.errors + problems.warnings} <span className="visually-hidden">{problemText(problems)}</span>
            </span>
          )}
          {change !== undefined && (
            <span className={`git-mark git-${change}`} title={`${change} since the last commit`}>
              <span aria-hidden="true">{change === 'added' ? 'A' : 'M'}</span>
              <span className="visually-hidden">{change} since the last commit</span>
            </span>
          )}
          {isDirty && (
            <span className="unsaved">
              <span className="visually-hidden">not saved</span>
            </span>
          )}
        </span>
      </div>
      {children}
    </>
  );
}

function problemText({ errors, warnings }: ProblemCount): string {
  const parts = [errors > 0 && count(errors, 'error'), warnings > 0 && count(warnings, 'warning')];
  return `problems: ${parts.filter(Boolean).join(', ')}`;
}
