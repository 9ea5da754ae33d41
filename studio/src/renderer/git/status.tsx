import { count } from '../shell/count.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { gitOf, headOf } from './git.ts';

/** The branch, and how many files differ from the last commit; a click lists them. */
export function GitStatus() {
  const studio = useStudio();
  const state = useStore(gitOf(studio).state);
  if (state === undefined) return null;
  const { changes, truncated } = state;
  const differing = `${truncated ? 'more than ' : ''}${count(changes.length, 'file')}`;
  const words =
    changes.length === 0 ? 'nothing differs from the last commit' : `${differing} changed since the last commit`;
  return (
    <button
      type="button"
      className="status-item git-branch"
      title={`${headOf(state)}: ${words}`}
      onClick={() => studio.commands.run('git.changes')}
    >
      <Icon name="git" label="Branch" />
      <span className="ellipsis">{headOf(state)}</span>
      {changes.length > 0 && (
        <span className="numeric">
          {changes.length}
          <span className="visually-hidden"> files changed</span>
        </span>
      )}
    </button>
  );
}
