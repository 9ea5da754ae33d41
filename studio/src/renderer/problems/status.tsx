import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { countsOf, inWords } from './list.ts';

/** How much is wrong; a click opens the list. */
export function ProblemStatus() {
  const { language, layout } = useStudio();
  const { diagnostics } = useStore(language.checked);
  const counts = countsOf(diagnostics);
  const { error, warning } = counts;
  return (
    <button
      type="button"
      className="status-item problem-counts"
      title={`Problems: ${inWords(counts)}`}
      onClick={() => layout.showPanel('problems', 'left')}
    >
      <span className={error > 0 ? 'error ink' : undefined}>
        <Icon name="error" label="Errors" />
        {error}
      </span>
      <span className={warning > 0 ? 'warning ink' : undefined}>
        <Icon name="warning" label="Warnings" />
        {warning}
      </span>
    </button>
  );
}

export function LanguageStatus() {
  const { language, project } = useStudio();
  const { at, files, milliseconds } = useStore(language.checked);
  const info = useStore(project.info);
  if (info === undefined) return null;
  if (at === undefined) return <span className="status-item">Language service starts</span>;
  return (
    <span
      className="status-item wide-only"
      title={`The last check of ${files} files took ${Math.ceil(milliseconds)} ms`}
    >
      <Icon name="check" />
      Language service ready
    </span>
  );
}
