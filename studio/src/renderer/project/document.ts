import type { TextEdit } from '@svc/protocol/text';
import type { UndoRedoGroup } from 'monaco-editor/platform/undoRedo/common/undoRedo.js';
import type { FileText } from '../../shared/services.ts';
import { Store } from '../state/store.ts';
import { monaco } from './monaco.ts';

export type Model = monaco.editor.ITextModel;

/** A model takes the group of an edit too, which its own type leaves out. */
interface GroupingModel {
  pushEditOperations(
    before: null,
    operations: monaco.editor.IIdentifiedSingleEditOperation[],
    after: () => null,
    group: UndoRedoGroup | undefined,
  ): void;
}

/**
 * An open text: one model, one undo stack, whatever edits it (editor, canvas, form, rename). `version` is what is on
 * disk as far as we know; `isDirty` whether the model differs from it.
 */
export class Document {
  readonly path: string;
  readonly model: Model;
  readonly isDirty = new Store(false);
  /** What is on disk, when it changed there while the text here was changed too; until the person chooses. */
  readonly conflict = new Store<FileText | undefined>(undefined);
  #version: string;
  #savedText: string;

  constructor({ path, text, version }: FileText) {
    this.path = path;
    this.#version = version;
    this.#savedText = text;
    this.model = monaco.editor.createModel(text, languageOf(path), uriOf(path));
    this.model.onDidChangeContent(() => this.#judge());
  }

  get text(): string {
    return this.model.getValue();
  }

  get version(): string {
    return this.#version;
  }

  /**
   * Edits of one moment, given as ranges of offsets before any of them; one step of undo. Steps of one `group` are
   * undone together, wherever they are.
   */
  apply(edits: readonly TextEdit[], group?: UndoRedoGroup): void {
    const operations = edits.map(({ range: { start, end }, text }) => ({ range: this.rangeOf(start, end), text }));
    this.model.pushStackElement();
    (this.model as GroupingModel).pushEditOperations(null, operations, () => null, group);
    this.model.pushStackElement();
  }

  /** The text was stored as `version`. What was typed while it was stored stays unsaved. */
  saved(text: string, version: string): void {
    this.#savedText = text;
    this.#version = version;
    this.conflict.set(undefined);
    this.#judge();
  }

  /** The file has another text on disk now: taken over when nothing is unsaved here, else a conflict. */
  changedOnDisk(file: FileText): void {
    if (file.version === this.#version) return;
    if (this.isDirty.value && file.text !== this.text) return this.conflict.set(file);
    this.take(file);
  }

  /** Replaces the text by what is on disk; one step of undo. */
  take(file: FileText): void {
    this.#version = file.version;
    this.#savedText = file.text;
    this.conflict.set(undefined);
    if (file.text !== this.text) {
      const range = this.model.getFullModelRange();
      this.model.pushStackElement();
      this.model.pushEditOperations(null, [{ range, text: file.text }], () => null);
      this.model.pushStackElement();
    }
    this.#judge();
  }

  rangeOf(start: number, end: number) {
    const from = this.model.getPositionAt(start);
    const to = this.model.getPositionAt(end);
    return {
      startLineNumber: from.lineNumber,
      startColumn: from.column,
      endLineNumber: to.lineNumber,
      endColumn: to.column,
    };
  }

  dispose(): void {
    this.model.dispose();
  }

  #judge(): void {
    this.isDirty.set(this.text !== this.#savedText);
  }
}

/** The address of a file's model; `pathOf` takes it back. */
export function uriOf(path: string): monaco.Uri {
  return monaco.Uri.from({ scheme: 'project', path: `/${path}` });
}

export function pathOf(uri: monaco.Uri): string {
  return uri.path.slice(1);
}

function languageOf(path: string): string {
  if (path.endsWith('.hcl')) return 'svc-hcl';
  if (path.endsWith('.json')) return 'json';
  return path.endsWith('.sql') ? 'sql' : 'plaintext';
}
