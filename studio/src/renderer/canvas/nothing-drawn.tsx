import { gitOf } from '../git/git.ts';
import { CheckedAgo } from '../problems/tools.tsx';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import type { Canvas } from './canvas.ts';

/** Why a filter leaves nothing; nothing where it leaves something, or where everything is drawn. */
export function NothingDrawn({ canvas }: { readonly canvas: Canvas }) {
  const studio = useStudio();
  const filter = useStore(canvas.filter);
  const isEmpty = useStore(canvas.drawn, ({ graph }) => graph.nodes.length === 0);
  const isCompared = useStore(canvas.changes.comparison, (comparison) => comparison !== undefined);
  const commit = useStore(gitOf(studio).state, (state) => state?.commit);
  if (filter === 'all' || !isEmpty || (filter === 'changed' && !isCompared)) return null;
  return (
    <div className="nothing-drawn" role="status">
      {filter === 'failing' ? (
        <p>
          Nothing fails: no flow and no connector has a problem in <CheckedAgo />.
        </p>
      ) : (
        <p>
          No flow and no connector differs from the last commit
          {commit !== undefined && (
            <>
              , <span className="mono">{commit.slice(0, 8)}</span>
            </>
          )}
          .
        </p>
      )}
      <button type="button" className="button" onClick={() => canvas.filter.set('all')}>
        Show all
      </button>
    </div>
  );
}
