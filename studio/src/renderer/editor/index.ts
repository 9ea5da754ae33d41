import { fileLooksOf } from '../explorer/file-looks.ts';
import type { Studio } from '../shell/studio.ts';
import { CaretStatus, LanguageStatus } from './caret/status.tsx';
import { addEditorCommands } from './commands.ts';
import { editorsOf } from './editors.ts';
import { followFocus } from './follow.ts';
import { formatOnSave } from './format.ts';
import { showPlates } from './plates.ts';
import { textView } from './text-view.tsx';
import { readBeforeTyping } from './typing.ts';
import { ViewSwitch } from './view-switch.tsx';

/** Text editors and what the language service gives to them. */
export function contributeEditor(studio: Studio): void {
  // By far the largest part of the window: it is read while the rest can be seen and used already.
  const texts = import('./texts.ts').then(({ startTexts }) => startTexts(studio));
  showPlates(studio);
  followFocus(studio);
  formatOnSave(studio);
  readBeforeTyping(studio);
  addEditorCommands(studio);
  studio.contributions.addEditorKind({
    kind: 'text',
    view: textView(editorsOf(studio), texts),
    title: (path) => path.slice(path.lastIndexOf('/') + 1),
    icon: (path) => fileLooksOf(studio).of(path),
    iconFollows: fileLooksOf(studio).byContent,
  });
  studio.contributions.addEditorTool({ id: 'view', order: 10, view: ViewSwitch });
  studio.contributions.addStatus({ id: 'caret', side: 'right', order: 10, view: CaretStatus });
  studio.contributions.addStatus({ id: 'textLanguage', side: 'right', order: 20, view: LanguageStatus });
}
