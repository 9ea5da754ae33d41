import type { Studio } from '../shell/studio.ts';
import { registerLanguage } from './language.ts';
import { showMarkers } from './markers.ts';
import '../project/monaco.ts';
import './widgets.css';
import { openInTabs } from './opener.ts';
import { showSuggestionDocumentation } from './options.ts';
import { provideLanguage } from './providers/index.ts';
import { TextEditor } from './text-editor.tsx';
import { applyEditorTheme } from './theme.ts';

/** Prepares the editor itself and gives its view. It is large: everything that needs its code is read from here on. */
export function startTexts(studio: Studio) {
  registerLanguage();
  provideLanguage(studio);
  showMarkers(studio);
  openInTabs(studio);
  showSuggestionDocumentation();
  applyEditorTheme(studio.theme.value);
  studio.theme.subscribe(() => applyEditorTheme(studio.theme.value));
  return { TextEditor };
}
