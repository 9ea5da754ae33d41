import { partsOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { paletteOf } from './palette.ts';
import { RecentFiles } from './recent-files.ts';
import { commandsSource, filesSource, lineSource, symbolsSource, workspaceSymbolsSource } from './sources.ts';
import { PaletteOverlay } from './view.tsx';

/** The field from which files, commands, symbols and lines are reached. */
export function contributePalette(studio: Studio): void {
  const { commands, contributions, layout, project } = studio;
  const palette = paletteOf(studio);
  const recent = new RecentFiles();
  recent.follow(layout);
  palette.addSource(filesSource(studio, recent));
  palette.addSource(commandsSource(studio));
  palette.addSource(symbolsSource(studio));
  palette.addSource(workspaceSymbolsSource(studio));
  palette.addSource(lineSource(studio));
  contributions.addOverlay({ id: 'palette', view: PaletteOverlay });
  const hasProject = () => project.info.value !== undefined;
  const hasText = () => partsOf(layout.active ?? ':').kind === 'text';
  commands.add(
    {
      id: 'palette.files',
      title: 'Go to: File',
      keys: 'mod+p',
      run: () => palette.show(hasProject() ? '' : '>'),
    },
    { id: 'palette.commands', title: 'Go to: All Commands', keys: 'mod+shift+p', run: () => palette.show('>') },
    {
      id: 'palette.symbols',
      title: 'Go to: Block of This File',
      keys: 'mod+shift+o',
      enabled: hasText,
      run: () => palette.show('@'),
    },
    {
      id: 'palette.workspaceSymbols',
      title: 'Go to: Block of the Project',
      keys: 'mod+t',
      enabled: hasProject,
      run: () => palette.show('#'),
    },
    { id: 'palette.line', title: 'Go to: Line', keys: 'mod+g', enabled: hasText, run: () => palette.show(':') },
  );
}
