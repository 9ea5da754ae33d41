import { tabOf } from '../shell/layout.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { recordingsIn } from './recordings.ts';

/** Recordings that the first page lists. */
const most = 5;

/** Files of the open folder that answer in place of connectors and flows. */
export function Recordings() {
  const { project, layout } = useStudio();
  const recordings = recordingsIn(useStore(project.entries));
  if (recordings.length === 0) return null;
  return (
    <section aria-label="Recordings">
      <h2>Recordings{recordings.length > most && `, ${most} of ${recordings.length}`}</h2>
      {recordings.slice(0, most).map(({ path, of }) => (
        <button
          key={path}
          type="button"
          className="recent"
          title={path}
          onClick={() => layout.open(tabOf('text', path))}
        >
          <Icon name="tape" />
          <span className="text-pair">
            <b>{of}</b>
            <small className="mono">{path}</small>
          </span>
        </button>
      ))}
    </section>
  );
}
