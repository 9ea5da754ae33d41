import type { ReactNode } from 'react';
import { debugOf } from '../debug/session/session.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon, type IconName } from '../theme/icon.tsx';
import type { Live } from './live-answer.ts';

interface HeadProps {
  readonly icon: IconName;
  readonly title: string;
  readonly about: string;
  readonly children?: ReactNode;
}

/** The head of a tab. */
export function Head({ icon, title, about, children }: HeadProps) {
  return (
    <div className="source-head">
      <span className="tile large accent">
        <Icon name={icon} />
      </span>
      <span className="grow">
        <b className="ellipsis">{title}</b>
        <small className="ellipsis">{about}</small>
      </span>
      {children}
    </div>
  );
}

interface ContentProps<T> {
  readonly live: Live<T>;
  /** Whether the attached service can say it. */
  readonly isKnown: boolean;
  /** What is shown once something is attached, as the end of a sentence. */
  readonly what: string;
  readonly children: (value: T) => ReactNode;
}

/** What the service says, or why it says nothing. */
export function LiveContent<T>({ live: { value, problem }, isKnown, what, children }: ContentProps<T>) {
  const { connection } = useStore(debugOf(useStudio()).model.state);
  if (connection !== 'attached')
    return (
      <EmptyState
        acts={[
          ['run.start', 'Start the service'],
          ['debug.attach', 'Attach'],
        ]}
        line="svc start --debug"
      >
        No service attached. {what} are shown while one runs.
      </EmptyState>
    );
  if (!isKnown) return <p className="section-empty">The running service cannot tell. It is of an older version.</p>;
  return (
    <>
      {problem !== undefined && (
        <p className="note error" role="alert">
          <Icon name="error" className="ink" />
          <span>
            {problem}. {value === undefined ? 'It is asked again.' : 'What is shown may be old; it is asked again.'}
          </span>
        </p>
      )}
      {value === undefined ? problem === undefined && <p className="section-empty">Reading …</p> : children(value)}
    </>
  );
}
