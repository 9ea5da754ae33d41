import type { ScheduleEntry } from '@svc/protocol/wire';
import { useEffect } from 'react';
import { flowsOf } from '../../debug/session/flow-map.ts';
import { useStudio } from '../../shell/studio.ts';
import { useNow } from '../../state/use-now.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { shownDuration } from '../../values/values.ts';
import { changesOf } from '../changes.ts';
import { fromNow, localTime } from '../moments.ts';
import { Head, LiveContent } from '../page-parts.tsx';
import { textOf } from '../place.ts';
import { UnlockBar } from '../unlock-bar.tsx';
import { showLastRun } from './last-run.ts';
import { type Schedules, summaryOf, zoneTime } from './schedules.ts';

/** Makes the tab with the flows of the attached service that run by the clock. */
export function schedulesPage(schedules: Schedules) {
  return function SchedulesPage() {
    const live = useStore(schedules.list.state);
    const now = useNow(true);
    useEffect(schedules.list.watch, []);
    const { value } = live;
    return (
      <section className="operation-page" aria-label="Schedules">
        <Head
          icon="clock"
          title="Schedules"
          about={value === undefined ? 'Flows that run by the clock' : summaryOf(value, now)}
        />
        {value !== undefined && value.length > 0 && <UnlockBar what="run them now" />}
        <LiveContent live={live} isKnown={schedules.list.isKnown} what="Schedules">
          {(entries) => (entries.length === 0 ? <NoSchedules /> : <Rows {...{ schedules, entries, now }} />)}
        </LiveContent>
      </section>
    );
  };
}

function NoSchedules() {
  return (
    <div className="empty">
      <p>No flow of this service runs by the clock. One that does has a schedule:</p>
      <pre className="mono plugin-example">
        {'flow "clean_up" {\n  when {\n    schedule = "30 2 * * *"\n    timezone = "Europe/Madrid"\n  }\n}'}
      </pre>
      <code className="command-line">svc docs flow</code>
    </div>
  );
}

interface RowsProps {
  readonly schedules: Schedules;
  readonly entries: readonly ScheduleEntry[];
  readonly now: number;
}

function Rows({ schedules, entries, now }: RowsProps) {
  useStore(flowsOf(useStudio()).outline);
  return (
    <ul className="schedule-rows" aria-label="Schedules">
      {entries.map((entry) => (
        <Row key={entry.flow} schedules={schedules} entry={entry} now={now} />
      ))}
    </ul>
  );
}

function Row({ schedules, entry, now }: Omit<RowsProps, 'entries'> & { readonly entry: ScheduleEntry }) {
  const studio = useStudio();
  const changes = changesOf(studio);
  const isUnlocked = useStore(changes.isUnlocked);
  const { flow, expression, timezone, overlap, storage, running, waiting } = entry;
  const open = textOf(studio, flow);
  const reason = !isUnlocked
    ? 'Unlock changes first.'
    : running > 0 && overlap === 'skip'
      ? 'It runs already, and another run would be left out.'
      : undefined;
  const run = () =>
    void changes
      .call('debug.runSchedule', { flow })
      .then(({ state }) =>
        studio.announce(state === 'begun' ? `${flow} runs.` : `${flow} runs when the run before has ended.`),
      )
      .catch((error: unknown) => studio.notices.failed(error))
      .finally(() => schedules.list.refresh());
  const claims = storage === null ? 'every process runs it' : `claimed in ${storage}, one process runs it`;
  return (
    <li className="schedule-row" aria-label={flow}>
      <div className="schedule-head">
        <span className={running > 0 ? 'tile large info' : 'tile large k-time'}>
          <Icon name={running > 0 ? 'play' : 'clock'} />
        </span>
        <span className="grow">
          <button
            type="button"
            className="link mono ellipsis"
            disabled={open === undefined}
            title={open === undefined ? 'The text has no such flow' : 'Show its text'}
            onClick={open}
          >
            {flow}
          </button>
          <small className="ellipsis">
            <code>{expression}</code> {timezone !== null && `${timezone}, `}
            {claims}
          </small>
        </span>
        {running > 0 && (
          <span className="badge line info" role="status">
            {running === 1 ? 'Runs now' : `${running} run now`}
            {waiting > 0 && `, ${waiting} waiting`}
          </span>
        )}
        <button type="button" className="button" disabled={reason !== undefined} title={reason} onClick={run}>
          <Icon name="play" />
          Run now
        </button>
      </div>
      <dl className="schedule-facts">
        <div>
          <dt>Next runs</dt>
          <dd>
            <NextRuns entry={entry} now={now} />
          </dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>
            <LastRun entry={entry} now={now} />
          </dd>
        </div>
      </dl>
    </li>
  );
}

function NextRuns({ entry: { next, timezone }, now }: { readonly entry: ScheduleEntry; readonly now: number }) {
  if (next.length === 0) return <span className="faint">None to come</span>;
  return (
    <ol className="next-runs">
      {next.map((at, index) => {
        const time = Date.parse(at);
        return (
          <li key={at} title={zoneTime(at, timezone)}>
            <time className="numeric" dateTime={at}>
              {localTime(time, now)}
            </time>
            {index === 0 && <small>{fromNow(time, now)}</small>}
          </li>
        );
      })}
    </ol>
  );
}

function tookText(milliseconds: number): string {
  return milliseconds < 10_000 ? `${milliseconds} ms` : shownDuration(milliseconds * 1000);
}

type Last = NonNullable<ScheduleEntry['last']>;

const outcomes: Readonly<Record<Last['outcome'], { icon: IconName; ink: string; text: string }>> = {
  succeeded: { icon: 'okc', ink: 'ok', text: 'Succeeded' },
  failed: { icon: 'error', ink: 'error', text: 'Failed' },
  skipped: { icon: 'step-over', ink: 'warning', text: 'Left out, the one before ran' },
  elsewhere: { icon: 'info', ink: 'faint', text: 'Ran in another process' },
};

function LastRun({ entry: { last, flow }, now }: { readonly entry: ScheduleEntry; readonly now: number }) {
  const studio = useStudio();
  if (last === null) return <span className="faint">None since the service started</span>;
  const { icon, ink, text } = outcomes[last.outcome];
  const at = Date.parse(last.at);
  const isHere = last.outcome === 'succeeded' || last.outcome === 'failed';
  return (
    <span className="last-run">
      <span className={`outcome ${ink}`}>
        <Icon name={icon} />
        {text}
      </span>
      <time className="numeric" dateTime={last.at}>
        {localTime(at, now)}, {fromNow(at, now)}
      </time>
      {last.durationMs !== null && <span className="numeric">took {tookText(last.durationMs)}</span>}
      {isHere && (
        <button
          type="button"
          className="link"
          onClick={() => void showLastRun(studio, flow).catch((error: unknown) => studio.notices.failed(error))}
        >
          Show it
        </button>
      )}
    </span>
  );
}
