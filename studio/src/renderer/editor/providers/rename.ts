import { IBulkEditService } from 'monaco-editor/editor/browser/services/bulkEditService.js';
import { StandaloneServices } from 'monaco-editor/editor/standalone/browser/standaloneServices.js';
import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import { tellJointEdit } from '../../shell/joint-notice.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { toRange } from './convert.ts';
import { signalOf } from './signal.ts';

const nothingHere = 'There is no name here that could be changed.';

/** Renames in every file; the files are changed and not saved. */
export function provideRename(studio: Studio): void {
  const { language, project } = studio;
  // The editor would apply the edits to texts that are open only, and say how many those were.
  StandaloneServices.get(IBulkEditService).apply = async () => ({ ariaSummary: '', isApplied: true });
  monaco.languages.registerRenameProvider(languageId, {
    async resolveRenameLocation(model, position, token) {
      const at = model.getOffsetAt(position);
      const found = await language.ask('renameable', [pathOf(model.uri), at], signalOf(token));
      if (found === undefined)
        return { range: toRange(model, { start: at, end: at }), text: '', rejectReason: nothingHere };
      return { range: toRange(model, found.range), text: found.name };
    },
    async provideRenameEdits(model, position, to, token) {
      const at = model.getOffsetAt(position);
      try {
        const edits = await language.ask('rename', [pathOf(model.uri), at, to], signalOf(token));
        if (token.isCancellationRequested) return { edits: [] };
        const edit = await project.apply([...edits].map(([file, own]) => ({ file, edits: own })));
        tellJointEdit(studio, `Renamed to ${to}`, edit);
      } catch (error) {
        return { edits: [], rejectReason: (error as Error).message };
      }
      // Everything is done already, through the documents.
      return { edits: [] };
    },
  });
}
