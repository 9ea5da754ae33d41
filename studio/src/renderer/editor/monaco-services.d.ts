// Parts of the editor that its own types leave out.

declare module 'monaco-editor/platform/storage/common/storage.js' {
  interface Storage {
    store(key: string, value: string | boolean | number, scope: number, target: number): void;
  }
  export const IStorageService: { readonly type: Storage };
}

declare module 'monaco-editor/platform/undoRedo/common/undoRedo.js' {
  /** Steps of undo that are undone together. */
  export class UndoRedoGroup {
    readonly id: number;
  }
}

declare module 'monaco-editor/editor/browser/services/bulkEditService.js' {
  interface BulkEditService {
    apply: () => Promise<{ readonly ariaSummary: string; readonly isApplied: boolean }>;
  }
  export const IBulkEditService: { readonly type: BulkEditService };
}

declare module 'monaco-editor/editor/standalone/browser/standaloneServices.js' {
  export const StandaloneServices: { get<T>(service: { readonly type: T }): T };
}
