import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { signalOf } from './signal.ts';

/** Lets blocks, lists and comments be folded. */
export function provideFolding({ language }: Studio): void {
  const { Comment, Region } = monaco.languages.FoldingRangeKind;
  monaco.languages.registerFoldingRangeProvider(languageId, {
    async provideFoldingRanges(model, _context, token) {
      const ranges = await language.ask('foldingRanges', [pathOf(model.uri)], signalOf(token));
      return ranges.map(({ startLine, endLine, kind }) => ({
        start: startLine,
        end: endLine,
        kind: kind === 'comment' ? Comment : Region,
      }));
    },
  });
}
