import { pathOf } from '../project/document.ts';
import { monaco } from '../project/monaco.ts';
import type { Studio } from '../shell/studio.ts';
import { reveal } from './reveal.ts';

/** Other files that the editor wants to show (a definition, a reference) open in tabs. */
export function openInTabs(studio: Studio): void {
  monaco.editor.registerEditorOpener({
    async openCodeEditor(_source, resource, at) {
      if (resource.scheme !== 'project') return false;
      const range = at === undefined || monaco.Range.isIRange(at) ? at : monaco.Range.fromPositions(at);
      await reveal(studio, pathOf(resource), () => range ?? new monaco.Range(1, 1, 1, 1));
      return true;
    },
  });
}
