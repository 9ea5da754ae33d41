import type { Document } from '../project/document.ts';
import type { monaco } from '../project/monaco.ts';
import { partOfStudio } from '../shell/studio.ts';
import { Store } from '../state/store.ts';

/** A text editor that is on the screen. */
export interface OpenEditor {
  readonly document: Document;
  readonly editor: monaco.editor.IStandaloneCodeEditor;
}

/** Adds something to every text editor, those that are open too, such as marks in the gutter. Returns what takes it away. */
export type EditorExtension = (open: OpenEditor) => () => void;

/** The text editors on the screen; features such as the debugger reach them through it. */
export class Editors {
  readonly open = new Store<readonly OpenEditor[]>([]);
  /** The one that has, or last had, the focus. */
  readonly active = new Store<OpenEditor | undefined>(undefined);
  readonly #extensions: EditorExtension[] = [];
  readonly #undo = new Map<OpenEditor, (() => void)[]>();

  extend(extension: EditorExtension): void {
    this.#extensions.push(extension);
    for (const [open, undo] of this.#undo) undo.push(extension(open));
  }

  /** An editor came; call the returned function when it goes. */
  add(open: OpenEditor): () => void {
    const undo = this.#extensions.map((extend) => extend(open));
    this.#undo.set(open, undo);
    this.open.update((all) => [...all, open]);
    this.active.set(open);
    const focus = open.editor.onDidFocusEditorText(() => this.active.set(open));
    return () => {
      focus.dispose();
      this.#undo.delete(open);
      for (const each of undo) each();
      this.open.update((all) => all.filter((other) => other !== open));
      if (this.active.value === open) this.active.set(this.open.value.at(-1));
    };
  }
}

export const editorsOf = partOfStudio(() => new Editors());
