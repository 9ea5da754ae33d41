import type { ReactNode } from 'react';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { useStudio } from '../studio.ts';

interface EmptyStateProps {
  /** Why there is nothing. */
  readonly children: ReactNode;
  /** What can be done about it: commands with what their buttons say, the first one first. */
  readonly acts?: readonly (readonly [command: string, title: string])[] | undefined;
  /** What does the same on the command line. */
  readonly line?: string | undefined;
}

/** A view without content: why, what to do next, and the command line that does the same. */
export function EmptyState({ children, acts = [], line }: EmptyStateProps) {
  const { commands } = useStudio();
  const all = useStore(commands.all);
  const known = acts.filter(([id]) => all.has(id));
  return (
    <div className="empty">
      <p>{children}</p>
      {known.length > 0 && (
        <div className="acts">
          {known.map(([id, title]) => (
            <button key={id} type="button" className="button" onClick={() => commands.run(id)}>
              {title}
            </button>
          ))}
        </div>
      )}
      {line !== undefined && (
        <span className="command-line">
          <Icon name="terminal" />
          {line}
        </span>
      )}
    </div>
  );
}
