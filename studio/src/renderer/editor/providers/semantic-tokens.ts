import { tokenKinds } from '@svc/protocol/language';
import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { type ShownKind, withExpressionWords } from './expression-words.ts';
import { signalOf } from './signal.ts';

const kinds: readonly ShownKind[] = [...tokenKinds, 'field', 'operator', 'delimiter'];

/** Colours words by what they are; inside texts that are expressions too. */
export function provideSemanticTokens({ language }: Studio): void {
  monaco.languages.registerDocumentSemanticTokensProvider(languageId, {
    getLegend: () => ({ tokenTypes: [...kinds], tokenModifiers: [] }),
    async provideDocumentSemanticTokens(model, _last, token) {
      const path = pathOf(model.uri);
      const signal = signalOf(token);
      const text = model.getValue();
      const version = model.getVersionId();
      const [words, expressions] = await Promise.all([
        language.ask('semanticTokens', [path], signal),
        language.ask('expressionRanges', [path], signal),
      ]);
      // Of an older text; the editor asks again.
      if (model.getVersionId() !== version) return null;
      const data: number[] = [];
      let line = 1;
      let column = 1;
      for (const { start, end, kind } of withExpressionWords(words, expressions, text)) {
        const at = model.getPositionAt(start);
        // Texts over several lines have their colour from the grammar.
        if (model.getPositionAt(end).lineNumber > at.lineNumber) continue;
        const sameLine = at.lineNumber === line;
        data.push(at.lineNumber - line, sameLine ? at.column - column : at.column - 1);
        data.push(end - start, kinds.indexOf(kind), 0);
        line = at.lineNumber;
        column = at.column;
      }
      return { data: new Uint32Array(data) };
    },
    releaseDocumentSemanticTokens: () => undefined,
  });
}
