import { type CSSProperties, useRef } from 'react';
import { EmptyState } from '../../shell/window/empty-state.tsx';
import { IconButton } from '../../shell/window/icon-button.tsx';
import { useNow } from '../../state/use-now.ts';
import { useStore } from '../../state/use-store.ts';
import { useWidth } from '../../state/use-width.ts';
import { lookOfKind } from '../../theme/connector-kind.ts';
import { Icon } from '../../theme/icon.tsx';
import { shownDuration } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import { showRunMenu } from '../runs/menu.ts';
import type { OutlineStage } from '../session/flow-map.ts';
import { debugOf } from '../session/session.ts';
import type { Thread } from '../session/thread.ts';
import { type Timeline, type TimelineRow, ticksOf, timelineOf } from '../session/timeline.ts';

/** Where the time of the thread in focus went, stage by stage. Pauses are hatched and count for nothing. */
export function TimelineView() {
  const { studio, inspection, flows } = useDebugger();
  useStore(flows.outline);
  const { model } = debugOf(studio);
  useStore(model.state);
  useStore(model.focused);
  const inspected = useStore(inspection.state);
  const thread = model.current;
  const now = useNow(thread?.isPaused === true);
  if (thread === undefined)
    return (
      <EmptyState acts={[['requests.show', 'Send a request']]} line="svc trace FLOW">
        No thread yet. Send a request: its stages appear here with the time each took.
      </EmptyState>
    );
  const flow = inspected?.threadId === thread.id ? inspected.flow : undefined;
  const timeline = timelineOf(thread, flow);
  // What is not written, such as the cleaning of the input, belongs to what comes before it.
  let family: OutlineStage['family'] = 'gate';
  return (
    <div className="timeline">
      <Axis timeline={timeline} />
      <ol aria-label={`Stages of ${thread.flow} #${thread.number}`}>
        {timeline.rows.map((row) => {
          const written = flows.stage(thread.flow, row.stage, row.name);
          family = written?.family ?? family;
          return <StageRow key={row.id} {...{ row, timeline, thread, now, family, written }} />;
        })}
      </ol>
    </div>
  );
}

/** Says whose timeline it is, beside the tabs. */
export function TimelineNote() {
  const { studio } = useDebugger();
  const { model } = debugOf(studio);
  useStore(model.state);
  useStore(model.focused);
  const thread = model.current;
  if (thread === undefined) return null;
  const end = { left: ', released', over: ', ended with the service' } as const;
  return (
    <>
      <span className="panel-hint faint">
        thread {thread.number}
        {thread.cut !== undefined ? end[thread.cut] : `, ${noteOf(thread)}`}
      </span>
      <IconButton
        icon="more"
        label={`What can be done with run ${thread.number}`}
        onClick={({ currentTarget }) => {
          const { left, bottom } = currentTarget.getBoundingClientRect();
          showRunMenu(studio, thread, left, bottom);
        }}
      />
    </>
  );
}

/** Of a run that has ended, how; else what is to be known of the times. */
function noteOf({ ended }: Thread): string {
  if (ended === undefined) return 'pauses left out';
  return ended.error ? 'failed' : ended.dropped ? `dropped by ${ended.dropped.decidedBy}` : 'ended';
}

function Axis({ timeline: { scaleUs, totalUs } }: { readonly timeline: Timeline }) {
  const lane = useRef<HTMLSpanElement>(null);
  const ticks = ticksOf(scaleUs, useWidth(lane));
  const left = (at: number) => ({ left: `${(at / scaleUs) * 100}%` });
  return (
    <>
      <div className="grid" aria-hidden="true">
        {ticks.map((at) => (
          <b key={at} style={left(at)} />
        ))}
      </div>
      <div className="timeline-row axis">
        <span />
        <span ref={lane} className="lane" aria-hidden="true">
          {ticks.map((at) => (
            <span key={at} style={left(at)}>
              {at === 0 ? '0 ms' : Number((at / 1000).toPrecision(3))}
            </span>
          ))}
        </span>
        <span className="duration" title="without pauses">
          {shownDuration(totalUs)}
        </span>
      </div>
    </>
  );
}

interface StageRowProps {
  readonly row: TimelineRow;
  readonly timeline: Timeline;
  readonly thread: Thread;
  readonly now: number;
  readonly family: OutlineStage['family'];
  /** Undefined for a stage that runs without being written. */
  readonly written: OutlineStage | undefined;
}

function StageRow({ row, timeline: { scaleUs, rows, totalUs }, thread, now, family, written }: StageRowProps) {
  const { flows } = useDebugger();
  const { stage, name, state, startUs, durationUs, rules, error } = row;
  const connector = written && flows.connectorOf(written);
  const look = connector && lookOfKind(connector.kind);
  const isNext = state === 'todo' && rows.find((each) => each.state === 'todo') === row;
  const percent = (us: number) => `${(us / scaleUs) * 100}%`;
  const ranUntil = startUs === undefined ? 0 : Math.max(startUs, totalUs);
  const bar: CSSProperties | undefined =
    startUs === undefined || (state === 'at' && durationUs === undefined && rules === undefined)
      ? undefined
      : { left: percent(startUs), width: percent(durationUs ?? ranUntil - startUs) };
  return (
    <li
      className={`timeline-row ${family} ${state === 'at' ? 'at' : ''} ${state === 'todo' || state === 'left' ? 'todo' : ''} ${state === 'failed' ? 'error' : ''}`}
      title={error || undefined}
    >
      <span className="name">
        <Icon name={state === 'failed' ? 'error' : family} />
        <span className="ellipsis">
          {stage} <small>{rules ? `${rules.done} of ${rules.all}` : state === 'left' ? error : name}</small>
        </span>
        {look && (
          <span className={`kind ${look.className}`}>
            <Icon name={look.name} label={connector.name} />
          </span>
        )}
      </span>
      <span className="lane">
        {bar && <i style={bar} />}
        {state === 'at' && <i className="hold" style={{ left: percent(ranUntil), right: 0 }} />}
      </span>
      <span className="duration">
        {state === 'at' && `paused ${Math.max(0, Math.round((now - (thread.pausedAt ?? now)) / 1000))} s`}
        {durationUs !== undefined && shownDuration(durationUs)}
        {state === 'running' && 'runs'}
        {state === 'cut' && 'not ended'}
        {isNext && 'next'}
      </span>
      {state === 'failed' && <span className="timeline-error ellipsis">{error}</span>}
    </li>
  );
}
