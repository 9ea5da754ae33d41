import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { toEdit } from './convert.ts';
import { signalOf } from './signal.ts';

/** Brings a file into the canonical layout. */
export function provideFormatting({ language }: Studio): void {
  monaco.languages.registerDocumentFormattingEditProvider(languageId, {
    async provideDocumentFormattingEdits(model, _options, token) {
      const edits = await language.ask('formatting', [pathOf(model.uri)], signalOf(token));
      return edits.map((edit) => toEdit(model, edit));
    },
  });
}
