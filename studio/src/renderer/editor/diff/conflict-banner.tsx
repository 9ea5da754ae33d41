import type { Document } from '../../project/document.ts';
import { useStudio } from '../../shell/studio.ts';
import { useStore } from '../../state/use-store.ts';
import { Icon } from '../../theme/icon.tsx';

interface ConflictProps {
  readonly document: Document;
  readonly isComparing: boolean;
  readonly onCompare: (isComparing: boolean) => void;
}

/** Shown above a text that was changed here and on disk, until the person chooses. */
export function ConflictBanner({ document, isComparing, onCompare }: ConflictProps) {
  const { project, notices } = useStudio();
  const conflict = useStore(document.conflict);
  if (conflict === undefined) return null;
  const name = document.path.slice(document.path.lastIndexOf('/') + 1);
  return (
    <div className="banner warning" role="alert">
      <Icon name="warning" className="ink" />
      <span className="grow ellipsis">{name} changed on disk while the text here was not saved.</span>
      <button
        type="button"
        className="button"
        aria-pressed={isComparing}
        title="Shows what is on disk beside the text of this editor"
        onClick={() => onCompare(!isComparing)}
      >
        Compare
      </button>
      <button
        type="button"
        className="button"
        title="Write the text of this editor over what is on disk"
        onClick={() => project.overwrite(document.path).catch((error: unknown) => notices.failed(error))}
      >
        Keep mine
      </button>
      <button
        type="button"
        className="button"
        title="Take what is on disk; undo brings the text of this editor back"
        onClick={() => document.take(conflict)}
      >
        Take the file's
      </button>
    </div>
  );
}
