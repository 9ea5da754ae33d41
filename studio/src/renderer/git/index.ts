import { lazy } from 'react';
import { editorsOf } from '../editor/editors.ts';
import { paletteOf } from '../palette/palette.ts';
import { fileOf, tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { gitOf, headOf } from './git.ts';
import { GitStatus } from './status.tsx';

/** What differs from the last commit: in the status bar, in the explorer, in the gutter of texts, and side by side. */
export function contributeGit(studio: Studio): void {
  const { commands, contributions, layout } = studio;
  const git = gitOf(studio);
  contributions.addStatus({ id: 'git', side: 'left', order: 5, view: GitStatus });
  contributions.addEditorKind({
    kind: 'compare',
    view: lazy(async () => ({ default: (await import('./compare-view.tsx')).CompareView })),
    title: (path) => `${path.slice(path.lastIndexOf('/') + 1)} since last commit`,
    icon: () => ({ name: 'git' }),
  });
  // The marks need the editor itself, which is read when there is a text.
  editorsOf(studio).extend((open) => {
    const marks = import('./gutter.ts').then(({ showChangedLines }) => showChangedLines(git, open));
    return () => void marks.then((end) => end());
  });
  const shown = () => fileOf(layout.active ?? ':');
  commands.add(
    {
      id: 'git.changes',
      title: 'Git: Changed Files',
      enabled: () => git.state.value !== undefined,
      whyNot: () => 'the folder is in no git repository, or is not trusted',
      run: () => {
        const { value: state } = git.state;
        if (state === undefined) return;
        paletteOf(studio).pick({
          placeholder: `Changed since the last commit of ${headOf(state)}`,
          nothing: 'No file differs from the last commit.',
          items: () =>
            state.changes.map(({ path, kind }) => ({
              id: path,
              title: path,
              detail: kind,
              icon: { name: 'git', className: `ink git-${kind}` },
              run: () => layout.open(tabOf('compare', path)),
            })),
        });
      },
    },
    {
      id: 'git.compare',
      title: 'Git: Compare with the Last Commit',
      enabled: () => git.state.value !== undefined && shown() !== undefined,
      whyNot: () => 'no file of a git repository is shown',
      run: () => {
        const path = shown();
        if (path !== undefined) layout.open(tabOf('compare', path));
      },
    },
  );
}
