import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../worker/runs.ts';
import { EmptyState } from '../../shell/window/empty-state.tsx';
import { Store } from '../../state/store.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { clockTime, shownDuration } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';
import { debugOf } from '../session/session.ts';
import { showRunMenu } from './menu.ts';

const condition = new Store('');
const icons: Readonly<Record<RunSummary['how'], IconName>> = { ended: 'okc', failed: 'error', dropped: 'filter' };
const inks = { ended: 'ok', failed: 'error', dropped: 'warning' } as const;

/** The last runs of the attached service, newest first; a click looks at one as at a thread that has ended. */
export function RunsView() {
  const { runs, studio } = useDebugger();
  const version = useStore(runs.version);
  const wanted = useStore(condition);
  const [found, setFound] = useState<readonly RunSummary[]>([]);
  const [problem, setProblem] = useState('');
  const { model } = debugOf(studio);
  useStore(model.state);
  useStore(model.focused);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each lot of runs is a reason to ask again
  useEffect(() => {
    let isOld = false;
    runs.list(wanted).then(
      (list) => {
        if (isOld) return;
        setFound(list);
        setProblem('');
      },
      (error: Error) => isOld || setProblem(error.message),
    );
    return () => {
      isOld = true;
    };
  }, [runs, wanted, version]);
  const open = (id: string) =>
    runs.open(id).then(
      (thread) => thread && owner.showRun(thread),
      (error: unknown) => studio.notices.failed(error),
    );
  const owner = useDebugger();
  const menu = async (id: string, x: number, y: number) => {
    const thread = await runs.open(id);
    if (thread !== undefined) showRunMenu(studio, thread, x, y);
  };
  if (problem !== '')
    return (
      <p className="panel-empty error ink" role="alert">
        {problem}
      </p>
    );
  if (found.length === 0)
    return (
      <EmptyState
        acts={wanted === '' ? [['requests.show', 'Send a request']] : []}
        line={wanted === '' ? 'svc trace FLOW' : undefined}
      >
        {wanted === ''
          ? 'No run yet. The last 200 runs of the attached service are kept here, with their values.'
          : 'No run is so.'}
      </EmptyState>
    );
  return (
    <ul className="runs scrolls" aria-label="Runs">
      {found.map(({ id, flow, number, startedAt, durationUs, how, input }) => (
        <li key={id}>
          <button
            type="button"
            className={id === model.current?.id ? 'row selected' : 'row'}
            onClick={() => void open(id)}
            onContextMenu={(event) => {
              event.preventDefault();
              void menu(id, event.clientX, event.clientY);
            }}
          >
            <span className={`ink ${inks[how]}`}>
              <Icon name={icons[how]} label={how} />
            </span>
            <span className="run-flow ellipsis">
              {flow} <small>#{number}</small>
            </span>
            <code className="ellipsis">{input}</code>
            <span className="meta numeric">{clockTime(startedAt)}</span>
            <span className="meta numeric">{shownDuration(durationUs)}</span>
          </button>
        </li>
      ))}
    </ul>
  );
}

export function RunsTools() {
  const text = useStore(condition);
  return (
    <label className="search panel-search run-search">
      <Icon name="filter" />
      <input
        value={text}
        placeholder="Filter: ms > 10.0"
        aria-label="Filter runs by a condition in CEL"
        title="CEL over flow, input, output, step, enriched, answer, error, dropped and ms, such as ms > 10.0 && input.quantity > 2"
        spellCheck={false}
        onChange={({ target }) => condition.set(target.value)}
      />
    </label>
  );
}
