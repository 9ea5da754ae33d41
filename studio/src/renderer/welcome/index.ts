import { paletteOf } from '../palette/palette.ts';
import { SessionKeeper } from '../shell/session.ts';
import type { Studio } from '../shell/studio.ts';
import { OpenProjectDialog } from './dialog.tsx';
import { firstStepsOf } from './first-steps.ts';
import { FirstStepsView } from './first-steps-view.tsx';
import { ProjectOpening } from './opening.ts';
import { Recordings } from './recorded.tsx';
import { TrustStatus } from './trust.tsx';
import { openings } from './use-opening.ts';
import { WelcomeView } from './view.tsx';

/** The first page, and everything that opens a folder. */
export function contributeWelcome(studio: Studio): void {
  const { contributions, commands, layout, project, notices, bridge } = studio;
  const opening = new ProjectOpening(studio, new SessionKeeper(studio));
  openings.set(studio, opening);
  contributions.addEditorKind({
    kind: 'welcome',
    view: WelcomeView,
    title: () => 'Welcome',
    icon: () => ({ name: 'product', className: 'accent ink' }),
  });
  contributions.addOverlay({ id: 'open-project', view: OpenProjectDialog });
  contributions.addKept(firstStepsOf(studio).kept);
  contributions.addToFirstPage({ id: 'recordings', order: 20, view: Recordings });
  contributions.addStrip({ id: 'first-steps', view: FirstStepsView });
  contributions.addStatus({ id: 'trust', side: 'left', order: 90, view: TrustStatus });
  void opening.refreshRecent().catch(() => undefined);
  commands.add(
    { id: 'welcome.show', title: 'Help: Welcome', run: () => layout.open('welcome:') },
    { id: 'project.open', title: 'File: Open Folder', keys: 'mod+o', run: () => opening.choose() },
    {
      id: 'project.new',
      title: 'File: New From Template',
      keys: 'mod+n',
      run: (template) =>
        opening.dialog.set({ kind: 'create', template: typeof template === 'string' ? template : undefined }),
    },
    {
      id: 'project.recent',
      title: 'File: Open Recent',
      keys: 'mod+alt+r',
      enabled: () => opening.recent.value.length > 0,
      run: () =>
        paletteOf(studio).pick({
          placeholder: 'Open a folder again',
          nothing: 'No folder that was open has this name.',
          items: () =>
            opening.recent.value.map((directory) => ({
              id: directory,
              title: directory.slice(directory.lastIndexOf('/') + 1),
              detail: directory,
              icon: { name: 'folder' },
              run: () => opening.open(directory),
            })),
        }),
    },
    {
      id: 'project.trust',
      title: 'File: Trust This Folder',
      enabled: () => project.info.value?.trusted === false,
      run: async () => {
        const info = project.info.value;
        if (info === undefined) return;
        const trust = `Trust ${info.name}`;
        const detail = `What its files name may then run: the service, its connections, its plugins. ${info.directory}`;
        if ((await notices.ask('Trust what is in this folder?', [trust, 'Not now'], detail)) !== trust) return;
        project.info.set((await bridge.call('project.trust', {})).project);
      },
    },
  );
}
