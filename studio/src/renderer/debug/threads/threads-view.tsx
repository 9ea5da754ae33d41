import { useEffect } from 'react';
import { EmptyState } from '../../shell/window/empty-state.tsx';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { Section } from '../../shell/window/section.tsx';
import { useNow } from '../../state/use-now.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';
import { shownDuration } from '../../values/values.ts';
import { spokenReason } from '../breakpoints/mark-shape.ts';
import { useDebugger } from '../debugger.ts';
import { showRunMenu } from '../runs/menu.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { ranUs } from '../session/timeline.ts';
import { heldBy } from './holds.ts';

/** Threads that ended and are still listed. */
const shownEnded = 5;

/** What is on its way through the flows: where it is, why, and what it keeps waiting. */
export function ThreadsView() {
  const { studio } = useDebugger();
  const debug = debugOf(studio);
  const { threads } = useStore(debug.model.state);
  useStore(debug.model.focused);
  const paused = threads.filter(({ isPaused }) => isPaused);
  const running = threads.filter(({ isPaused, ended }) => !isPaused && !ended);
  const ended = threads
    .filter((thread) => thread.ended)
    .toSorted((a, b) => a.moved - b.moved)
    .slice(-shownEnded);
  const now = useNow(paused.length > 0);
  const current = debug.model.current;
  const continueAll = () => {
    for (const { id } of paused)
      debug.call('debug.continue', { threadId: id }).catch((error) => studio.notices.failed(error));
  };
  useEffect(() => {
    if (paused.length === 0) return;
    // How many messages wait behind a held one changes without an event.
    const timer = setInterval(() => void debug.refreshThreads().catch(() => undefined), 5000);
    return () => clearInterval(timer);
  }, [paused.length, debug]);
  const { focused } = debug.model;
  const tools = (
    <>
      <IconButton
        icon="pin"
        label={focused.value === undefined ? 'Newest run is followed' : 'Follow the newest run'}
        pressed={focused.value === undefined}
        disabled={threads.length === 0}
        onClick={() => focused.set(undefined)}
      />
      <IconButton icon="play" label="Continue all" disabled={paused.length === 0} onClick={continueAll} />
    </>
  );
  return (
    <Section title="Threads" sub={`${paused.length} paused, ${running.length} running`} tools={tools}>
      <div className="section-body">
        <div className="thread-list">
          {[...paused, ...running.slice(0, 50), ...ended].map((thread) => (
            <ThreadItem key={thread.id} thread={thread} isCurrent={thread === current} now={now} />
          ))}
        </div>
        {threads.length === 0 && <NoThreads isAttached={debug.isAttached} />}
      </div>
    </Section>
  );
}

function NoThreads({ isAttached }: { readonly isAttached: boolean }) {
  if (isAttached)
    return (
      <EmptyState acts={[['requests.show', 'Send a request']]} line="curl http://localhost:3000/">
        Nothing runs. Threads appear with the next request or message.
      </EmptyState>
    );
  return (
    <EmptyState
      acts={[
        ['run.start', 'Start this project'],
        ['debug.attach', 'Attach'],
      ]}
      line="svc start --debug-suspend"
    >
      No service attached.
    </EmptyState>
  );
}

function ThreadItem({
  thread,
  isCurrent,
  now,
}: {
  readonly thread: Thread;
  readonly isCurrent: boolean;
  readonly now: number;
}) {
  const owner = useDebugger();
  const { flows } = owner;
  const { flow, isPaused, reason, stage, name, rule, pausedAt, holds, ended, cut } = thread;
  const look = () => owner.showRun(thread);
  const family = flows.stage(flow, stage, name)?.family;
  const held = isPaused && holds ? heldBy(holds, ranUs(thread)) : undefined;
  return (
    <button
      type="button"
      className={`thread ${isCurrent && isPaused ? 'on' : isCurrent ? 'shown' : ''} ${isPaused ? 'paused-ink' : ended?.error || cut === 'over' ? 'error' : 'ok'}`}
      aria-pressed={isCurrent}
      onClick={look}
      onContextMenu={(event) => {
        event.preventDefault();
        showRunMenu(owner.studio, thread, event.clientX, event.clientY);
      }}
    >
      <Icon
        name={isPaused ? 'pause' : ended?.error || cut === 'over' ? 'error' : cut ? 'plug' : ended ? 'okc' : 'play'}
        className="ink"
        label={stateOf(thread)}
      />
      <span className="name ellipsis">
        {flow}
        <span className="id">#{thread.number}</span>
      </span>
      {isCurrent && isPaused ? (
        <span className="badge paused-ink">{spokenReason(reason)}</span>
      ) : (
        <span className="since numeric">{isPaused ? since(pausedAt, now) : restOf(thread)}</span>
      )}
      {(isPaused || (cut !== undefined && stage !== '')) && (
        <span className="at">
          {family && <Icon name={family} size="small" className={`ink ${family}`} />}
          {rule ? (
            <>
              {stage} <Icon name="chevron-right" size="small" /> {rule.target}
            </>
          ) : (
            `${reason === 'failure' || reason === 'drop' ? '' : 'before '}${stage}${name && ` ${name}`}`
          )}
        </span>
      )}
      {held && (
        <span className={held.spent === undefined ? 'holds' : 'holds warning'}>
          <Icon name={held.icon} />
          <span className="ellipsis" title={held.text}>
            {held.text}
          </span>
          {held.spent !== undefined && (
            <span className="bar">
              <i style={{ width: `${held.spent * 100}%` }} />
            </span>
          )}
        </span>
      )}
    </button>
  );
}

/** What became of a thread that was lost sight of. */
const cutWords = { left: 'Released', over: 'Ended with the service' } as const;

function stateOf({ isPaused, ended, cut }: Thread): string {
  if (isPaused) return 'Paused';
  if (cut !== undefined) return cutWords[cut];
  if (ended) return ended.error ? 'Failed' : ended.dropped ? 'Dropped' : 'Ended';
  return 'Running';
}

function restOf({ stage, ended, cut }: Thread): string {
  if (ended === undefined) return stage;
  if (cut !== undefined) return cutWords[cut].toLowerCase();
  const how = ended.error ? 'failed' : ended.dropped ? 'dropped' : 'ended';
  return `${how}, ${shownDuration(ended.durationUs)}`;
}

function since(at: number | undefined, now: number): string {
  const seconds = Math.max(0, Math.round((now - (at ?? now)) / 1000));
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}
