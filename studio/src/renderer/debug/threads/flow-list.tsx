import { type CSSProperties, useMemo, useState } from 'react';
import { ConnectorIcon } from '../../plugins/connector-icon.tsx';
import { EmptyState } from '../../shell/window/empty-state.tsx';
import { Section } from '../../shell/window/section.tsx';
import { useStore } from '../../state/use-store.ts';
import { lookOfKind, lookOfNode } from '../../theme/connector-kind.ts';
import { Icon } from '../../theme/icon.tsx';
import { moveInTree } from '../../values/tree-keys.ts';
import { useDebugger } from '../debugger.ts';
import type { Outline, OutlineConnector, OutlineFlow } from '../session/flow-map.ts';
import { reveal } from '../session/reveal.ts';
import { debugOf } from '../session/session.ts';

interface Group {
  readonly connector: OutlineConnector | undefined;
  readonly name: string;
  readonly flows: readonly OutlineFlow[];
}

/** The flows of the project under where their messages come from; those with paused threads in the paused colour. */
export function FlowList() {
  const { flows } = useDebugger();
  const outline = useStore(flows.outline);
  const groups = useMemo(() => groupsOf(outline), [outline]);
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const toggle = (name: string) =>
    setClosed((all) => new Set(all.has(name) ? [...all].filter((each) => each !== name) : [...all, name]));
  return (
    <Section title="Flows" sub={String(outline.flows.length)}>
      <div className="section-body">
        <div role="tree" aria-label="Flows" onKeyDown={moveInTree}>
          {groups.map(({ name, connector, flows: own }, index) => {
            const { name: icon, className } = connector === undefined ? lookOfKind(undefined) : lookOfNode(connector);
            const isOpen = !closed.has(name);
            return (
              <div key={name} role="none">
                <button
                  type="button"
                  role="treeitem"
                  aria-level={1}
                  aria-expanded={isOpen}
                  tabIndex={index === 0 ? 0 : -1}
                  className="row"
                  onClick={() => toggle(name)}
                >
                  <Icon name={isOpen ? 'chevron-down' : 'chevron-right'} size="small" />
                  <ConnectorIcon name={icon} file={connector?.icon} className={`type-icon ${className}`} />
                  <span className="name">{name}</span>
                  <span className="meta">{connector?.detail}</span>
                </button>
                {isOpen && own.map((flow) => <FlowRow key={flow.id} flow={flow} />)}
              </div>
            );
          })}
        </div>
        {groups.length === 0 && (
          <EmptyState acts={[['canvas.addFlow', 'Add flow']]} line="svc add flow NAME">
            No flow is written yet.
          </EmptyState>
        )}
      </div>
    </Section>
  );
}

function FlowRow({ flow }: { readonly flow: OutlineFlow }) {
  const { studio } = useDebugger();
  const paused = useStore(debugOf(studio).model.state, ({ threads }) =>
    threads.find((thread) => thread.isPaused && thread.flow === flow.name),
  );
  const open = () => {
    if (paused) debugOf(studio).model.focused.set(paused.id);
    reveal(studio, flow.file, flow.selection.start);
  };
  return (
    <button
      type="button"
      role="treeitem"
      aria-level={2}
      tabIndex={-1}
      className={paused ? 'row stopped' : 'row'}
      style={{ '--d': 1 } as CSSProperties}
      onClick={open}
    >
      <span className="lead" />
      {paused ? (
        <Icon name="pause" className="ink paused-ink" label="Paused" />
      ) : (
        <Icon name="flow" className="type-icon" />
      )}
      <span className="name">{flow.name}</span>
      <span className="meta">{flow.source?.operation}</span>
    </button>
  );
}

function groupsOf({ flows, connectors, edges }: Outline): readonly Group[] {
  const names = new Map(connectors.map(({ id, name }) => [id, name]));
  // What runs a flow that takes no messages is in its edges alone.
  const callers = new Map(edges.filter(({ direction }) => direction === 'in').map((edge) => [edge.flow, edge]));
  const bySource = Map.groupBy(
    flows,
    ({ id, source }) => source?.connector ?? names.get(callers.get(id)?.connector ?? '') ?? 'no source',
  );
  return [...bySource].map(([name, own]) => ({
    name,
    connector: connectors.find((connector) => connector.name === name),
    flows: own,
  }));
}
