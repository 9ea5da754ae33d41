import type { Document } from '../../project/document.ts';
import { monaco } from '../../project/monaco.ts';

/** Monaco draws longer texts in pieces, which would become several plates. */
const longestPlate = 49;

/** A text behind the line of an offset. */
export function after(
  document: Document,
  offset: number,
  text: string,
  inlineClassName: string,
): monaco.editor.IModelDeltaDecoration {
  const { startLineNumber: line } = document.rangeOf(offset, offset);
  const column = document.model.getLineMaxColumn(line);
  return {
    range: new monaco.Range(line, column, line, column),
    options: {
      showIfCollapsed: true,
      after: {
        content: inlineClassName.startsWith('inline-note') ? `\u00a0\u00a0\u00a0\u00a0\u00a0${text}` : cutText(text),
        inlineClassName,
        inlineClassNameAffectsLetterSpacing: true,
        cursorStops: monaco.editor.InjectedTextCursorStops.None,
      },
    },
  };
}

function cutText(text: string): string {
  return text.length <= longestPlate ? text : `${text.slice(0, longestPlate - 1)}…`;
}
