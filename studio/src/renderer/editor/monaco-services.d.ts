// Parts of the editor that its own types leave out.

declare module 'monaco-editor/platform/storage/common/storage.js' {
  interface Storage {
    store(key: string, value: string | boolean | number, scope: number, target: number): void;
  }
  export const IStorageService: { readonly type: Storage };
}

declare module 'monaco-editor/editor/common/diff/linesDiffComputers.js' {
  interface LineRange {
    readonly startLineNumber: number;
    readonly endLineNumberExclusive: number;
    readonly isEmpty: boolean;
  }
  interface LinesDiffComputer {
    computeDiff(
      original: readonly string[],
      modified: readonly string[],
      options: {
        readonly ignoreTrimWhitespace: boolean;
        readonly maxComputationTimeMs: number;
        readonly computeMoves: boolean;
      },
    ): { readonly changes: readonly { readonly original: LineRange; readonly modified: LineRange }[] };
  }
  export const linesDiffComputers: { readonly getDefault: () => LinesDiffComputer };
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
