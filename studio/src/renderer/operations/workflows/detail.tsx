import type { WorkflowDetail } from '@svc/protocol/wire';
import { useState } from 'react';
import { useStudio } from '../../shell/studio.ts';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { moveInTabs } from '../../shell/window/tab-keys.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { JsonTree } from '../../values/json-tree.tsx';
import { changesOf } from '../changes.ts';
import { fromNow, localTime } from '../moments.ts';
import { textOf } from '../place.ts';
import { lookOf, textOfEvent } from './look.ts';
import { SignalForm } from './signal-form.tsx';
import { Steps } from './steps.tsx';
import { hasEnded, type Workflows } from './workflows.ts';

interface DetailProps {
  readonly workflows: Workflows;
  readonly id: string;
  readonly now: number;
}

/** One workflow: where it is, what it holds, and what can be done with it. */
export function Detail({ workflows, id, now }: DetailProps) {
  const { value, problem } = useStore(workflows.detail.state);
  const close = <IconButton icon="close" label="Close the workflow" onClick={() => workflows.choose(undefined)} />;
  if (value?.id !== id)
    return (
      <section className="workflow-detail" aria-label="Workflow">
        <div className="view-head plain">
          <h2 className="mono ellipsis">{id}</h2>
          <span className="right">{close}</span>
        </div>
        <p className={problem === undefined ? 'section-empty' : 'section-empty error ink'}>{problem ?? 'Reading …'}</p>
      </section>
    );
  return (
    <section className="workflow-detail" aria-label="Workflow">
      <DetailHead workflow={value} now={now} close={close} />
      {problem !== undefined && <p className="section-empty error ink">{problem}</p>}
      <Actions workflows={workflows} workflow={value} />
      <Steps workflow={value} now={now} />
      {value.compensationErrors.length > 0 && (
        <ul className="workflow-errors" aria-label="What could not be undone">
          {value.compensationErrors.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <Parts workflow={value} now={now} />
    </section>
  );
}

function DetailHead({ workflow, now, close }: { workflow: WorkflowDetail; now: number; close: React.ReactNode }) {
  const studio = useStudio();
  const { id, flow, status, startedAt, updatedAt, awaits, resumesAt, expiresAt, error, cancelRequested } = workflow;
  const { icon, ink, text } = lookOf(status);
  const open = textOf(studio, flow);
  const moment = (at: string) => {
    const time = Date.parse(at);
    return `${localTime(time, now)}, ${fromNow(time, now)}`;
  };
  const facts: readonly (readonly [string, string | null])[] = [
    ['Began', moment(startedAt)],
    [hasEnded(status) ? 'Ended' : 'Changed', moment(updatedAt)],
    ['Waits for', awaits],
    ['Continues', resumesAt && moment(resumesAt)],
    ['Times out', expiresAt && moment(expiresAt)],
  ];
  return (
    <header className="workflow-head">
      <div className="view-head plain">
        <h2 className="mono ellipsis" title={id}>
          {id}
        </h2>
        <span className="right">
          <IconButton
            icon="copy"
            label="Copy the id"
            onClick={() =>
              void navigator.clipboard.writeText(id).catch((failed: unknown) => studio.notices.failed(failed))
            }
          />
          {close}
        </span>
      </div>
      <p className="workflow-state">
        <span className={`badge line ${ink}`} role="status">
          <Icon name={icon} />
          {cancelRequested ? 'Cancelling' : text}
        </span>
        <button
          type="button"
          className="link mono ellipsis"
          disabled={open === undefined}
          title={open === undefined ? 'The text has no such saga' : 'Show its text'}
          onClick={open}
        >
          {flow}
        </button>
      </p>
      {error !== null && <p className="workflow-error">{error}</p>}
      <dl className="workflow-facts">
        {facts.map(
          ([term, value]) =>
            value !== null && (
              <div key={term}>
                <dt>{term}</dt>
                <dd className="ellipsis">{value}</dd>
              </div>
            ),
        )}
      </dl>
    </header>
  );
}

function Actions({ workflows, workflow }: { readonly workflows: Workflows; readonly workflow: WorkflowDetail }) {
  const studio = useStudio();
  const changes = changesOf(studio);
  const isUnlocked = useStore(changes.isUnlocked);
  const [isSignalling, setSignalling] = useState(false);
  const { id, status, step, events, cancelRequested } = workflow;
  if (hasEnded(status)) return null;
  const locked = isUnlocked ? undefined : 'Unlock changes first.';
  const noSignal = events.length === 0 ? 'It waits for no event from here on.' : undefined;
  const noCancel =
    status === 'compensating' || cancelRequested
      ? 'It is being undone already.'
      : step === null
        ? 'All of its steps are done.'
        : undefined;
  const cancel = async () => {
    const detail = 'What its steps have done is undone in reverse order. It does not continue afterwards.';
    const act = 'Cancel the workflow';
    if ((await studio.notices.ask(`Cancel ${id}?`, [act, 'Keep it'], detail)) !== act) return;
    const { message } = await changes.call('debug.cancelWorkflow', { id });
    studio.announce(message);
  };
  const done = (work: Promise<void>) =>
    void work.catch((error: unknown) => studio.notices.failed(error)).finally(() => void workflows.refresh());
  return (
    <>
      <div className="workflow-acts">
        <button
          type="button"
          className="button"
          disabled={(locked ?? noSignal) !== undefined}
          title={locked ?? noSignal}
          aria-expanded={isSignalling}
          onClick={() => setSignalling(!isSignalling)}
        >
          <Icon name="send" />
          Signal …
        </button>
        <button
          type="button"
          className="button"
          disabled={(locked ?? noCancel) !== undefined}
          title={locked ?? noCancel}
          onClick={() => done(cancel())}
        >
          <Icon name="stop" />
          Cancel …
        </button>
        {(locked ?? noSignal ?? noCancel) !== undefined && <small>{locked ?? noSignal ?? noCancel}</small>}
      </div>
      {isSignalling && isUnlocked && events.length > 0 && (
        <SignalForm
          events={events}
          onSend={async (signal, payload) => {
            const { message } = await changes.call('debug.signalWorkflow', { id, signal, payload });
            studio.announce(message);
            setSignalling(false);
          }}
          onDone={() => void workflows.refresh()}
        />
      )}
    </>
  );
}

/** What it holds, and what happened to it. */
function Parts({ workflow, now }: { readonly workflow: WorkflowDetail; readonly now: number }) {
  const { input, results, signal, history } = workflow;
  const [open, setOpen] = useState('History');
  const values: readonly (readonly [string, unknown])[] = [
    ['Input', input],
    ['Results', results],
    ...(signal === null ? [] : [['Signal', signal] as const]),
  ];
  const titles = ['History', ...values.map(([title]) => title)];
  const shown = titles.includes(open) ? open : 'History';
  const value = values.find(([title]) => title === shown)?.[1];
  return (
    <>
      <div className="panel-tabs">
        <div className="panel-tab-list" role="tablist" aria-label="Workflow" onKeyDown={moveInTabs}>
          {titles.map((title) => (
            <button
              key={title}
              type="button"
              role="tab"
              aria-selected={title === shown}
              tabIndex={title === shown ? 0 : -1}
              className={title === shown ? 'panel-tab on' : 'panel-tab'}
              onClick={() => setOpen(title)}
            >
              {title}
            </button>
          ))}
        </div>
      </div>
      <div className="workflow-part" role="tabpanel" aria-label={shown}>
        {shown === 'History' ? (
          <History history={history} now={now} />
        ) : (
          <JsonTree key={shown} value={value} label={shown} />
        )}
      </div>
    </>
  );
}

function History({ history, now }: { readonly history: WorkflowDetail['history']; readonly now: number }) {
  if (history.length === 0) return <p className="section-empty">Nothing has happened to it yet that is known.</p>;
  return (
    <ol className="workflow-history">
      {history.map((event, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: events are added at the end
        <li key={index}>
          <time className="numeric" dateTime={event.at}>
            {localTime(Date.parse(event.at), now)}
          </time>
          <span className="ellipsis">
            {event.step !== null && <b className="mono">{event.step}</b>} {textOfEvent(event)}
          </span>
        </li>
      ))}
    </ol>
  );
}
