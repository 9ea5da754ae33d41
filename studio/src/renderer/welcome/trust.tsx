import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';

/** Shown in the status bar until the folder is trusted. */
export function TrustStatus() {
  const { project, commands } = useStudio();
  const isUntrusted = useStore(project.info, (info) => info?.trusted === false);
  if (!isUntrusted) return null;
  return (
    <button
      type="button"
      className="status-item warning ink"
      title="Nothing in a folder runs until you trust it"
      onClick={() => commands.run('project.trust')}
    >
      <Icon name="lock" />
      Not trusted
    </button>
  );
}
