import { tokenKinds } from '../language/index.ts';

/** What the editor declared about itself. */
export interface InitializeParams {
  readonly rootUri?: string | null;
  readonly workspaceFolders?: readonly { readonly uri: string }[] | null;
  readonly capabilities?: {
    readonly workspace?: {
      readonly didChangeWatchedFiles?: { readonly dynamicRegistration?: boolean };
      readonly workspaceEdit?: {
        readonly documentChanges?: boolean;
        readonly resourceOperations?: readonly string[];
      };
    };
    readonly textDocument?: {
      readonly completion?: { readonly completionItem?: { readonly snippetSupport?: boolean } };
    };
  };
}

/** What depends on the editor. */
export interface ClientFeatures {
  readonly snippets: boolean;
  readonly watchesFiles: boolean;
  /** An edit may say of which version of a document it is. */
  readonly versionedEdits: boolean;
  /** An edit may create a file. */
  readonly createsFiles: boolean;
}

export function featuresOf({ capabilities }: InitializeParams): ClientFeatures {
  const { documentChanges, resourceOperations } = capabilities?.workspace?.workspaceEdit ?? {};
  return {
    snippets: capabilities?.textDocument?.completion?.completionItem?.snippetSupport === true,
    watchesFiles: capabilities?.workspace?.didChangeWatchedFiles?.dynamicRegistration === true,
    versionedEdits: documentChanges === true,
    createsFiles: documentChanges === true && resourceOperations?.includes('create') === true,
  };
}

const incremental = 2;

/** What the server answers; nothing else is advertised. */
export const capabilities = {
  positionEncoding: 'utf-16',
  textDocumentSync: { openClose: true, change: incremental, save: { includeText: false } },
  completionProvider: { triggerCharacters: ['.', '"', '=', '{', ' '] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ['(', ','] },
  definitionProvider: true,
  referencesProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  foldingRangeProvider: true,
  documentFormattingProvider: true,
  codeActionProvider: { codeActionKinds: ['quickfix'] },
  inlayHintProvider: true,
  semanticTokensProvider: { legend: { tokenTypes: tokenKinds, tokenModifiers: [] }, full: true },
  experimental: { outline: true, stops: true },
  workspace: { workspaceFolders: { supported: true, changeNotifications: true } },
} as const;
