import { useStudio } from '../shell/studio.ts';
import { CommandButton } from '../shell/window/icon-button.tsx';
import { Section } from '../shell/window/section.tsx';
import { useStore } from '../state/use-store.ts';
import { Icon } from '../theme/icon.tsx';
import { RecentProjects } from '../welcome/recent.tsx';
import type { Explorer } from './explorer.ts';
import { FileTree } from './file-tree.tsx';

/** Makes the view of the explorer. */
export function explorerView(explorer: Explorer) {
  return function ExplorerView() {
    const info = useStore(useStudio().project.info);
    if (info === undefined) return <NoFolder />;
    const tools = (
      <>
        <CommandButton command="explorer.newFile" icon="plus" label="New file" />
        <CommandButton command="explorer.newFolder" icon="folder" label="New folder" />
        <CommandButton command="explorer.collapse" icon="collapse" label="Collapse all" />
      </>
    );
    return (
      <Section title="Explorer" sub={info.name} tools={tools} fill>
        <FileTree explorer={explorer} />
      </Section>
    );
  };
}

function NoFolder() {
  const { commands } = useStudio();
  return (
    <>
      <Section title="Explorer">
        <div className="empty">
          <p>No folder is open. Nothing in a folder runs until you trust it.</p>
          <div className="acts">
            <button type="button" className="button" onClick={() => commands.run('project.open')}>
              Open folder
            </button>
          </div>
          <span className="command-line">
            <Icon name="terminal" />
            svc studio ./orders
          </span>
        </div>
      </Section>
      <RecentProjects />
    </>
  );
}
