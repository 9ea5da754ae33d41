import type { Document } from '../project/document.ts';
import { type Layout, partsOf, tabOf } from '../shell/layout.ts';
import type { Studio } from '../shell/studio.ts';
import { editorsOf, type OpenEditor } from './editors.ts';

type TextRange = ReturnType<Document['rangeOf']>;

/**
 * Shows a place of a file in its editor, selects it and gives it the focus unless `takesFocus` says otherwise. Rejects
 * when the file cannot be read.
 */
export async function reveal(
  studio: Studio,
  path: string,
  rangeIn: (document: Document) => TextRange,
  takesFocus = true,
): Promise<void> {
  const { layout, project, focus } = studio;
  const editors = editorsOf(studio);
  const document = await project.open(path);
  showText(layout, path, takesFocus);
  const open = await new Promise<OpenEditor>((resolve) => {
    const look = () => {
      const showing = editors.open.value.filter((each) => each.document === document);
      const found = showing.find((each) => each === editors.active.value) ?? showing.at(-1);
      if (found === undefined) return false;
      resolve(found);
      return true;
    };
    if (look()) return;
    const stop = editors.open.subscribe(() => look() && stop());
  });
  const range = document.model.validateRange(rangeIn(document));
  select(open, range);
  if (takesFocus) open.editor.focus();
  const { model } = document;
  const start = model.getOffsetAt({ lineNumber: range.startLineNumber, column: range.startColumn });
  const end = model.getOffsetAt({ lineNumber: range.endLineNumber, column: range.endColumn });
  focus.set({ path, start, end, by: 'text' });
}

/** Shows offsets of a file; see `reveal`. */
export function revealOffsets(
  studio: Studio,
  path: string,
  start: number,
  end: number,
  takesFocus = true,
): Promise<void> {
  return reveal(studio, path, (document) => document.rangeOf(start, end), takesFocus);
}

/** Shows a part of a line, from 1; offsets in it count from 0. See `reveal`. */
export function revealLine(studio: Studio, path: string, line: number, start = 0, end = start): Promise<void> {
  return reveal(studio, path, () => ({
    startLineNumber: line,
    startColumn: start + 1,
    endLineNumber: line,
    endColumn: end + 1,
  }));
}

/** Selects a range, with the caret at its beginning, and brings it into sight. */
export function select({ editor }: OpenEditor, range: TextRange): void {
  editor.setSelection({
    selectionStartLineNumber: range.endLineNumber,
    selectionStartColumn: range.endColumn,
    positionLineNumber: range.startLineNumber,
    positionColumn: range.startColumn,
  });
  editor.revealRangeInCenterIfOutsideViewport(range);
}

/** Opens the tab of a file beside other texts, not over a canvas that is in a group of its own. */
export function showText(layout: Layout, path: string, takesFocus: boolean): void {
  const { groups, focused } = layout.editors.value;
  const address = tabOf('text', path);
  const showing = groups.findIndex(({ active }) => active === address);
  const holding = groups.findIndex(({ tabs }) => tabs.includes(address));
  const texts = groups.findIndex(({ active }) => active !== undefined && partsOf(active).kind === 'text');
  const group = [showing, holding, texts].find((each) => each >= 0) ?? focused;
  layout.open(address, group);
  if (!takesFocus) layout.focus(focused);
}
