import { useEffect, useRef, useState } from 'react';
import type { Document } from '../project/document.ts';
import { monaco } from '../project/monaco.ts';
import { useStudio } from '../shell/studio.ts';
import { useStore } from '../state/use-store.ts';
import { Breadcrumb } from './breadcrumb.tsx';
import { ConflictBanner } from './diff/conflict-banner.tsx';
import { ConflictView } from './diff/conflict-view.tsx';
import type { Editors, OpenEditor } from './editors.ts';
import { optionsFor, stickyScroll } from './options.ts';

export type EditorStates = Map<string, monaco.editor.ICodeEditorViewState | null>;

export interface TextEditorProps {
  readonly document: Document;
  readonly editors: Editors;
  /** What one editor remembers (caret, scroll), by path. */
  readonly states: EditorStates;
}

/** Pixels of height below which no heads of blocks stay at the top. */
const leastForHeads = 240;

export function TextEditor({ document, editors, states }: TextEditorProps) {
  const studio = useStudio();
  const holder = useRef<HTMLDivElement>(null);
  const { wordWrap, fontSize } = useStore(studio.settings.state);
  const [open, setOpen] = useState<OpenEditor>();
  const [isComparing, setComparing] = useState(false);
  const conflict = useStore(document.conflict);
  useEffect(() => {
    const { path } = document;
    const made = monaco.editor.create(holder.current as HTMLElement, optionsFor(document));
    document.model.updateOptions({
      bracketColorizationOptions: { enabled: false, independentColorPoolPerBracketType: false },
    });
    const state = states.get(path);
    if (state) made.restoreViewState(state);
    const added = { document, editor: made };
    const leave = editors.add(added);
    const moved = made.onDidChangeCursorSelection(({ selection, source }) => {
      if (source === 'api') return;
      const start = document.model.getOffsetAt(selection.getStartPosition());
      studio.focus.set({ path, start, end: document.model.getOffsetAt(selection.getEndPosition()), by: 'text' });
    });
    // Where there is little room, the text has all of it.
    const laidOut = made.onDidLayoutChange(({ height }) =>
      made.updateOptions({ stickyScroll: { ...stickyScroll, enabled: height >= leastForHeads } }),
    );
    setOpen(added);
    return () => {
      laidOut.dispose();
      states.set(path, made.saveViewState());
      moved.dispose();
      leave();
      made.dispose();
    };
  }, [document, editors, states, studio]);
  useEffect(
    () => open?.editor.updateOptions({ wordWrap: wordWrap ? 'on' : 'off', fontSize }),
    [open, wordWrap, fontSize],
  );
  return (
    <div className="text-view">
      <Breadcrumb path={document.path} open={open} />
      <ConflictBanner document={document} isComparing={isComparing} onCompare={setComparing} />
      {conflict !== undefined && isComparing && (
        <ConflictView document={document} theirs={conflict.text} label={`${document.path}: on disk, and here`} />
      )}
      <div ref={holder} className="text-editor" hidden={conflict !== undefined && isComparing} />
    </div>
  );
}
