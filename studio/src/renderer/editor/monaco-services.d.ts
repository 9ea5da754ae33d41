// Parts of the editor that its own types leave out.

declare module 'monaco-editor/platform/storage/common/storage.js' {
  interface Storage {
    store(key: string, value: string | boolean | number, scope: number, target: number): void;
  }
  export const IStorageService: { readonly type: Storage };
}

declare module 'monaco-editor/editor/standalone/browser/standaloneServices.js' {
  export const StandaloneServices: { get<T>(service: { readonly type: T }): T };
}
