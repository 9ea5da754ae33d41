import { useStudio } from '../shell/studio.ts';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { useOpening } from './use-opening.ts';

/** Folders that were opened before. */
export function RecentProjects() {
  const recent = useStore(useOpening().recent);
  if (recent.length === 0) return null;
  return (
    <Section title="Recent" sub={String(recent.length)} fill>
      <div className="recent-list">
        {recent.map((directory) => (
          <RecentProject key={directory} directory={directory} />
        ))}
      </div>
    </Section>
  );
}

export function RecentProject({ directory }: { readonly directory: string }) {
  const { commands } = useStudio();
  const opening = useOpening();
  return (
    <button
      type="button"
      className="recent"
      title={directory}
      onClick={() => opening.open(directory).catch(commands.onFailure)}
    >
      <Icon name="folder" />
      <span className="text-pair">
        <b>{nameOf(directory)}</b>
        <small className="mono">{directory}</small>
      </span>
    </button>
  );
}

function nameOf(directory: string): string {
  return directory.split(/[\\/]/).findLast((part) => part !== '') ?? directory;
}
