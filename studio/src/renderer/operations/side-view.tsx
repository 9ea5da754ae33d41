import { useEffect } from 'react';
import { debugOf } from '../debug/session/session.ts';
import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { EmptyState } from '../shell/window/empty-state.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import type { Operation } from './operations.ts';

/** Makes the side view: what the attached service holds, a row for each kind, which opens as a tab. */
export function operationsSide(operations: readonly Operation[]) {
  return function OperationsSide() {
    const { connection } = useStore(debugOf(useStudio()).model.state);
    return (
      <Section title="Operations" fill>
        <div className="section-body">
          {operations.map((operation) => (
            <OperationRow key={operation.id} operation={operation} />
          ))}
          {connection !== 'attached' && (
            <EmptyState acts={[['run.start', 'Start the service']]} line="svc start">
              What a service holds is shown while it runs.
            </EmptyState>
          )}
        </div>
      </Section>
    );
  };
}

function OperationRow({ operation }: { readonly operation: Operation }) {
  const { layout } = useStudio();
  const { id, title, icon, summary, watch } = operation;
  const text = useStore(summary);
  const isOpen = useStore(layout.editors, () => layout.active) === tabOf(id, '');
  useEffect(watch, [watch]);
  return (
    <button
      type="button"
      className={isOpen ? 'source-row operation selected' : 'source-row operation'}
      onClick={() => layout.open(tabOf(id, ''))}
    >
      <span className="tile accent">
        <Icon name={icon} />
      </span>
      <span className="grow">
        <b className="ellipsis">{title}</b>
        {text !== undefined && <small className="ellipsis">{text}</small>}
      </span>
    </button>
  );
}
