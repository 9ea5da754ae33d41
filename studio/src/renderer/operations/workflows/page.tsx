import { type WorkflowStatus, type WorkflowsEntry, workflowStatuses } from '@svc/protocol/wire';
import { useEffect, useState } from 'react';
import { useNow } from '../../state/use-now.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { Head, LiveContent } from '../page-parts.tsx';
import { UnlockBar } from '../unlock-bar.tsx';
import { Detail } from './detail.tsx';
import { lookOf } from './look.ts';
import { WorkflowTable } from './table.tsx';
import { matches, summaryOf, type Workflows } from './workflows.ts';

/** Makes the tab with the workflows of the attached service. */
export function workflowsPage(workflows: Workflows) {
  return function WorkflowsPage() {
    const live = useStore(workflows.list.state);
    useEffect(() => {
      const ends = [workflows.list.watch(), workflows.detail.watch()];
      return () => {
        for (const end of ends) end();
      };
    }, []);
    const { value } = live;
    const kept = value?.storage ? `kept in ${value.storage}, ${summaryOf(value)}` : 'Sagas that wait';
    return (
      <section className="operation-page" aria-label="Workflows">
        <Head icon="flows" title="Workflows" about={kept} />
        {value?.storage != null && <UnlockBar what="signal and cancel workflows" />}
        <LiveContent live={live} isKnown={workflows.list.isKnown} what="Workflows">
          {(entry) => (entry.storage === null ? <NoneKept /> : <Kept workflows={workflows} entry={entry} />)}
        </LiveContent>
      </section>
    );
  };
}

function NoneKept() {
  return (
    <div className="empty">
      <p>
        This service keeps no workflows. A saga with a step that waits (<code>delay</code>, <code>await</code>) is one,
        and the service block says where they are kept:
      </p>
      <pre className="mono plugin-example">{'service {\n  workflow {\n    storage = connector.db\n  }\n}'}</pre>
      <code className="command-line">svc docs service</code>
    </div>
  );
}

function Kept({ workflows, entry }: { readonly workflows: Workflows; readonly entry: WorkflowsEntry }) {
  const wanted = useStore(workflows.wanted);
  const chosen = useStore(workflows.chosen);
  const [text, setText] = useState('');
  const now = useNow(true);
  const rows = text.trim() === '' ? entry.workflows : entry.workflows.filter((each) => matches(each, text));
  const isNarrowed = wanted.flow !== undefined || wanted.status !== undefined || wanted.before !== undefined;
  return (
    <>
      <Filters workflows={workflows} entry={entry} text={text} onText={setText} />
      <div className={chosen === undefined ? 'workflow-split' : 'workflow-split with-detail'}>
        <div className="workflow-list">
          {rows.length > 0 ? (
            <WorkflowTable rows={rows} chosen={chosen} now={now} onChoose={(id) => workflows.choose(id)} />
          ) : (
            <Nothing text={text} isNarrowed={isNarrowed} entry={entry} onOpen={(id) => workflows.choose(id)} />
          )}
          {(entry.next !== null || wanted.before !== undefined) && (
            <div className="workflow-pages">
              {wanted.before !== undefined && (
                <button type="button" className="button" onClick={() => workflows.filter({})}>
                  Newest
                </button>
              )}
              {entry.next !== null && (
                <button
                  type="button"
                  className="button"
                  onClick={() => workflows.wanted.patch({ before: entry.next ?? undefined })}
                >
                  Older
                </button>
              )}
            </div>
          )}
        </div>
        {chosen !== undefined && <Detail key={chosen} workflows={workflows} id={chosen} now={now} />}
      </div>
    </>
  );
}

interface FiltersProps {
  readonly workflows: Workflows;
  readonly entry: WorkflowsEntry;
  readonly text: string;
  readonly onText: (text: string) => void;
}

function Filters({ workflows, entry, text, onText }: FiltersProps) {
  const { flow, status } = useStore(workflows.wanted);
  const names = new Set([...entry.flows, ...entry.counts.map((each) => ({ name: each.flow }))].map(({ name }) => name));
  if (flow !== undefined) names.add(flow);
  return (
    <search className="workflow-filters" aria-label="Filter workflows">
      <select
        className="input"
        aria-label="Status"
        value={status ?? ''}
        onChange={({ target }) =>
          workflows.filter({ status: (target.value || undefined) as WorkflowStatus | undefined })
        }
      >
        <option value="">Every status</option>
        {workflowStatuses.map((each) => (
          <option key={each} value={each}>
            {lookOf(each).text}
          </option>
        ))}
      </select>
      <select
        className="input mono"
        aria-label="Flow"
        value={flow ?? ''}
        onChange={({ target }) => workflows.filter({ flow: target.value || undefined })}
      >
        <option value="">Every flow</option>
        {[...names].sort().map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      <label className="search grow">
        <Icon name="filter" />
        <input
          value={text}
          placeholder="Filter these, or open an id with Enter"
          aria-label="Filter by id, flow, step or event"
          spellCheck={false}
          onChange={({ target }) => onText(target.value)}
          onKeyDown={({ key }) => {
            if (key === 'Enter' && text.trim() !== '') workflows.choose(text.trim());
            if (key === 'Escape') onText('');
          }}
        />
      </label>
    </search>
  );
}

interface NothingProps {
  readonly text: string;
  readonly isNarrowed: boolean;
  readonly entry: WorkflowsEntry;
  readonly onOpen: (id: string) => void;
}

/** Why the list is empty, and what can be done. */
function Nothing({ text, isNarrowed, entry, onOpen }: NothingProps) {
  const id = text.trim();
  if (id !== '')
    return (
      <div className="empty">
        <p>No workflow of this page has this text.</p>
        <div className="acts">
          <button type="button" className="button" onClick={() => onOpen(id)}>
            Open the workflow with this id
          </button>
        </div>
      </div>
    );
  if (isNarrowed) return <p className="section-empty">No workflow is so.</p>;
  const [first, ...others] = entry.flows;
  return (
    <div className="empty">
      <p>
        {first === undefined
          ? 'No saga of this service waits, so that none is kept.'
          : `No workflow yet. One begins with each message for ${first.name}${others.length > 0 ? ' and others' : ''}.`}
      </p>
    </div>
  );
}
