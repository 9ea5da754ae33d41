import type { TextEdit } from '@svc/protocol/text';
import { UndoRedoGroup } from 'monaco-editor/platform/undoRedo/common/undoRedo.js';
import { Store } from '../state/store.ts';
import type { Document } from './document.ts';

/** An edit of several documents at once: undoing it in one of them undoes it in all. */
export class JointEdit {
  readonly documents: readonly Document[];
  /** Whether undoing it now would undo exactly this: no document was changed again, and not all are saved. */
  readonly isLatest = new Store(true);

  constructor(changes: readonly { readonly document: Document; readonly edits: readonly TextEdit[] }[]) {
    this.documents = changes.map(({ document }) => document);
    const group = new UndoRedoGroup();
    for (const { document, edits } of changes) document.apply(edits, group);
    for (const { model, isDirty } of this.documents) {
      model.onDidChangeContent(() => this.isLatest.set(false));
      model.onWillDispose(() => this.isLatest.set(false));
      isDirty.subscribe(() => this.documents.every((each) => !each.isDirty.value) && this.isLatest.set(false));
    }
  }

  /** Takes it back in every document. Does nothing when that is not what undo means any more. */
  undo(): void {
    if (this.isLatest.value) this.documents[0]?.model.undo();
  }
}
