import { fileOf, tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { editorsOf } from './editors.ts';
import { format } from './format.ts';

/**
 * What the editor itself can do, for the palette and the person's own keys; the editor handles its own keys besides.
 */
const actions: readonly (readonly [id: string, title: string, action: string])[] = [
  ['editor.suggest', 'Edit: Suggest', 'editor.action.triggerSuggest'],
  ['editor.quickFix', 'Edit: Quick Fix', 'editor.action.quickFix'],
  ['editor.rename', 'Edit: Rename Symbol', 'editor.action.rename'],
  ['editor.find', 'Edit: Find', 'actions.find'],
  ['editor.replace', 'Edit: Replace', 'editor.action.startFindReplaceAction'],
  ['editor.toggleComment', 'Edit: Toggle Line Comment', 'editor.action.commentLine'],
  ['editor.fold', 'Edit: Fold All', 'editor.foldAll'],
  ['editor.unfold', 'Edit: Unfold All', 'editor.unfoldAll'],
  ['editor.definition', 'Go: To Definition', 'editor.action.revealDefinition'],
  ['editor.peekDefinition', 'Go: Peek Definition', 'editor.action.peekDefinition'],
  ['editor.references', 'Go: To References', 'editor.action.goToReferences'],
];

export function addEditorCommands(studio: Studio): void {
  const { commands, layout, project } = studio;
  const editors = editorsOf(studio);
  const active = () => editors.active.value;
  const isOpen = () => active() !== undefined;
  const path = () => active()?.document.path ?? '';
  const shown = () => fileOf(layout.active ?? ':') ?? path();
  commands.add(
    {
      id: 'file.save',
      title: 'File: Save',
      keys: 'mod+s',
      enabled: () => shown() !== '',
      run: () => project.save(shown()),
    },
    { id: 'file.saveAll', title: 'File: Save All', keys: 'mod+alt+s', run: () => project.saveAll() },
    {
      id: 'file.open',
      title: 'File: Open',
      run: (wanted) => layout.open(tabOf('text', String(wanted))),
    },
    {
      id: 'editor.format',
      title: 'Edit: Format Document',
      keys: 'alt+shift+f',
      enabled: () => isOpen() && path().endsWith('.hcl'),
      run: () => format(studio, path()),
    },
    ...actions.map(([id, title, action]) => ({
      id,
      title,
      enabled: isOpen,
      run: () => {
        const editor = active()?.editor;
        editor?.focus();
        editor?.trigger('command', action, undefined);
      },
    })),
  );
}
