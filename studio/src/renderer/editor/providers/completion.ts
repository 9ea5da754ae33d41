import { pathOf } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';
import type { Studio } from '../../shell/studio.ts';
import { languageId } from '../language.ts';
import { isInsideQuotes, toCompletion } from './convert.ts';
import { signalOf } from './signal.ts';

/** Offers what may be written: while typing, after a dot and at the beginning of a text. */
export function provideCompletion({ language }: Studio): void {
  monaco.languages.registerCompletionItemProvider(languageId, {
    triggerCharacters: ['.', '"'],
    async provideCompletionItems(model, position, { triggerCharacter }, token) {
      const before = model.getLineContent(position.lineNumber).slice(0, position.column - 1);
      // Quotes that end a text are not a question.
      if (triggerCharacter === '"' && !isInsideQuotes(before)) return { suggestions: [] };
      const offset = model.getOffsetAt(position);
      await language.targets.recent();
      const items = await language.ask('completion', [pathOf(model.uri), offset], signalOf(token));
      return {
        suggestions: items.map((item, order) => {
          const end = model.getPositionAt(item.edit.range.end);
          const after = model.getLineContent(end.lineNumber).slice(end.column - 1);
          return toCompletion(item, order, model, after);
        }),
      };
    },
  });
}
