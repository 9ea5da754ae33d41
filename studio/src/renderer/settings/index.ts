import { paletteOf } from '../palette/palette.ts';
import { themeChoices } from '../preferences/settings.ts';
import type { Studio } from '../shell/studio.ts';
import { themeNames } from './theme-names.ts';
import { SettingsView } from './view.tsx';

/** What a person sets: a page, and commands for what is set most. */
export function contributeSettings(studio: Studio): void {
  const { contributions, commands, layout, settings } = studio;
  const palette = paletteOf(studio);
  contributions.addEditorKind({
    kind: 'settings',
    view: SettingsView,
    title: () => 'Settings',
    icon: () => ({ name: 'gear' }),
  });
  const { state } = settings;
  commands.add(
    { id: 'settings.open', title: 'Settings: Open', keys: 'mod+,', run: () => layout.open('settings:') },
    {
      id: 'theme.select',
      title: 'Settings: Colour Theme',
      run: () => {
        const { theme: before } = state.value;
        palette.pick({
          placeholder: 'Colour theme',
          nothing: 'No theme has this name.',
          restore: () => state.patch({ theme: before }),
          items: () =>
            [before, ...themeChoices.filter((each) => each !== before)].map((theme) => ({
              id: theme,
              title: themeNames[theme],
              preview: () => state.patch({ theme }),
              run: () => settings.change({ theme }),
            })),
        });
      },
    },
    {
      id: 'settings.wordWrap',
      title: 'View: Word Wrap',
      keys: 'alt+z',
      run: () => settings.change({ wordWrap: !state.value.wordWrap }),
    },
  );
}
