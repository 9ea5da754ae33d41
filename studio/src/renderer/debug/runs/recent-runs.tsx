import { useEffect, useState } from 'react';
import type { RunSummary } from '../../../worker/runs.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon, type IconName } from '../../theme/icon.tsx';
import { clockTime, shownDuration } from '../../values/values.ts';
import { useDebugger } from '../debugger.ts';

/** Runs that the first page lists. */
const most = 5;

/** The newest runs of this session at the first page; a click looks at one as at a thread that has ended. */
export function RecentRuns() {
  const runs = useRuns();
  if (runs.length === 0) return null;
  return (
    <section aria-label="Recent runs">
      <h2>Recent runs</h2>
      {runs.map((run) => (
        <RunRow key={run.id} run={run} />
      ))}
    </section>
  );
}

/** The newest runs that are kept, newest first. */
function useRuns(): readonly RunSummary[] {
  const { runs } = useDebugger();
  const version = useStore(runs.version);
  const [found, setFound] = useState<readonly RunSummary[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: each lot of runs is a reason to ask again
  useEffect(() => {
    let isOld = false;
    runs.list('').then(
      (list) => isOld || setFound(list.slice(0, most)),
      () => isOld || setFound([]),
    );
    return () => {
      isOld = true;
    };
  }, [runs, version]);
  return found;
}

const icons: Readonly<Record<RunSummary['how'], IconName>> = { ended: 'okc', failed: 'error', dropped: 'filter' };
const inks = { ended: 'ok', failed: 'error', dropped: 'warning' } as const;

function RunRow({ run: { id, flow, number, startedAt, durationUs, how, input } }: { readonly run: RunSummary }) {
  const owner = useDebugger();
  const { layout, notices } = useStudio();
  const open = () =>
    owner.runs.open(id).then(
      (thread) => {
        if (thread === undefined) return;
        layout.showPanel('timeline', 'left');
        owner.showRun(thread);
      },
      (error: unknown) => notices.failed(error),
    );
  return (
    <button type="button" className="recent" title="Look at its values and its timeline" onClick={() => void open()}>
      <span className={`ink ${inks[how]}`}>
        <Icon name={icons[how]} label={how} />
      </span>
      <span className="text-pair">
        <b>
          {flow} #{number}
        </b>
        <small className="mono">{input}</small>
      </span>
      <small className="when numeric">
        {clockTime(startedAt)}, {shownDuration(durationUs)}
      </small>
    </button>
  );
}
