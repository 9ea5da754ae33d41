import type { Studio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';
import { Explorer } from './explorer.ts';
import { explorerView } from './view.tsx';

/** The files of the project. */
export function contributeExplorer(studio: Studio): void {
  const { contributions, commands, project, layout } = studio;
  const explorer = new Explorer(studio);
  const badge = new Store<{ readonly count: number } | undefined>(undefined);
  project.dirty.subscribe(() => badge.set({ count: project.dirty.value.size }));
  contributions.addSideView({
    id: 'explorer',
    title: 'Explorer',
    icon: 'files',
    order: 10,
    view: explorerView(explorer),
    badge,
  });
  const enabled = () => project.info.value !== undefined;
  const startNew = (kind: 'file' | 'folder') => {
    layout.showSide('explorer');
    explorer.startNew(kind);
  };
  commands.add(
    {
      id: 'explorer.show',
      title: 'View: Explorer',
      keys: 'mod+shift+e',
      run: () => layout.showSide('explorer'),
    },
    { id: 'explorer.newFile', title: 'File: New File', keys: 'mod+alt+n', enabled, run: () => startNew('file') },
    { id: 'explorer.newFolder', title: 'File: New Folder', enabled, run: () => startNew('folder') },
    { id: 'explorer.collapse', title: 'Explorer: Collapse All', enabled, run: () => explorer.collapseAll() },
    {
      id: 'explorer.reveal',
      title: 'Explorer: Show the Open File',
      enabled: () => layout.active?.startsWith('text:') === true,
      run: () => {
        layout.showSide('explorer');
        explorer.show(String(layout.active).slice('text:'.length));
      },
    },
  );
}
