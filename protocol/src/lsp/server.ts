import { type ClientFeatures, capabilities, featuresOf, type InitializeParams } from './capabilities.ts';
import { type ContentChange, changesOf } from './changes.ts';
import { Connection, errorCodes, type Handler, type MessageSink, ResponseError } from './connection.ts';
import { toDiagnostic } from './convert.ts';
import { Folder, type OpenFolder } from './folders.ts';
import { queries } from './queries.ts';

export interface ServerOptions {
  readonly sink: MessageSink;
  readonly open: OpenFolder;
  readonly version: string;
  /** Calls back when everything that has arrived was received. */
  readonly later: (work: () => void) => void;
  /** The editor said that it is over; `clean` when it asked to shut down before. */
  readonly exit: (clean: boolean) => void;
}

interface DocumentParams {
  readonly textDocument: { readonly uri: string; readonly version?: number; readonly text?: string };
  readonly contentChanges?: readonly ContentChange[];
}

/**
 * The language service over the Language Server Protocol 3.17: one service for each folder of the editor.
 * Documents outside of every folder open the folder that they are in.
 */
export class LanguageServer {
  readonly #options: ServerOptions;
  readonly #connection: Connection;
  readonly #folders: Folder[] = [];
  #features: ClientFeatures | undefined;
  #stopping = false;
  #telling = false;

  constructor(options: ServerOptions) {
    this.#options = options;
    this.#connection = new Connection(options.sink, this.#handlers(), options.later);
  }

  /** Takes one message of the editor as text. */
  receive(text: string): void {
    this.#connection.receive(text);
  }

  #handlers(): ReadonlyMap<string, Handler> {
    const handlers: Record<string, (params: never) => unknown> = {
      initialize: (params: InitializeParams) => this.#initialize(params),
      initialized: () => this.#watchFiles(),
      shutdown: () => {
        this.#stopping = true;
        return null;
      },
      exit: () => this.#options.exit(this.#stopping),
      'textDocument/didOpen': (params: DocumentParams) => this.#opened(params),
      'textDocument/didChange': (params: DocumentParams) => this.#changed(params),
      'textDocument/didClose': (params: DocumentParams) => this.#closed(params),
      'textDocument/didSave': () => this.#refresh(),
      'workspace/didChangeWatchedFiles': (params: { changes: readonly { uri: string }[] }) =>
        this.#stored(params.changes),
      'workspace/didChangeWorkspaceFolders': (params: { event: FoldersEvent }) => this.#foldersChanged(params.event),
    };
    const all = new Map<string, Handler>();
    for (const [method, handler] of Object.entries(handlers))
      all.set(method, async (params) => {
        if (method !== 'exit') this.#refuseWhenStopping();
        if (method !== 'initialize' && method !== 'exit') this.#initialized();
        return handler(params as never);
      });
    for (const [method, query] of Object.entries(queries))
      all.set(method, (params, cancellation) =>
        query(params as never, {
          folders: this.#folders,
          folderOf: (uri) => this.#folderOf(uri),
          features: this.#ready(),
          cancellation,
        }),
      );
    return all;
  }

  async #initialize(params: InitializeParams) {
    if (this.#features) throw new ResponseError(errorCodes.invalidRequest, 'initialize was called before');
    this.#features = featuresOf(params);
    const uris = params.workspaceFolders?.map(({ uri }) => uri) ?? (params.rootUri ? [params.rootUri] : []);
    for (const uri of uris) await this.#addFolder(uri);
    this.#tellSoon();
    return { capabilities, serverInfo: { name: 'svc', version: this.#options.version } };
  }

  /** What a query needs; refused before the session began and after it was ended. */
  #ready(): ClientFeatures {
    this.#refuseWhenStopping();
    return this.#initialized();
  }

  #refuseWhenStopping(): void {
    if (this.#stopping) throw new ResponseError(errorCodes.invalidRequest, 'the server was asked to shut down');
  }

  #initialized(): ClientFeatures {
    if (this.#features === undefined)
      throw new ResponseError(errorCodes.serverNotInitialized, 'initialize has not been called');
    return this.#features;
  }

  #watchFiles(): void {
    if (!this.#features?.watchesFiles) return;
    const watchers = ['**/*.hcl', '**/*.mycel', '**/.env'].map((globPattern) => ({ globPattern }));
    this.#connection.request('client/registerCapability', {
      registrations: [{ id: 'files', method: 'workspace/didChangeWatchedFiles', registerOptions: { watchers } }],
    });
  }

  async #addFolder(uri: string): Promise<Folder | undefined> {
    try {
      const folder = new Folder(await this.#options.open(uri));
      this.#folders.push(folder);
      return folder;
    } catch (error) {
      const message = `svc cannot read ${uri}: ${error instanceof Error ? error.message : String(error)}`;
      this.#connection.notify('window/showMessage', { type: 2, message });
      return undefined;
    }
  }

  async #foldersChanged({ added, removed }: FoldersEvent): Promise<void> {
    for (const { uri } of removed) {
      const at = this.#folders.findIndex((folder) => folder.uri.pathOf(`${uri}/x`) === 'x');
      const [gone] = at < 0 ? [] : this.#folders.splice(at, 1);
      for (const path of gone?.said.keys() ?? [])
        this.#connection.notify('textDocument/publishDiagnostics', { uri: gone?.uri.uriOf(path), diagnostics: [] });
    }
    for (const { uri } of added) await this.#addFolder(uri);
    this.#tellSoon();
  }

  /** The innermost folder that a document belongs to. */
  #folderOf(uri: string): { readonly folder: Folder; readonly path: string } | undefined {
    let best: { readonly folder: Folder; readonly path: string } | undefined;
    for (const folder of this.#folders) {
      const path = folder.pathOf(uri);
      if (path !== undefined && (best === undefined || path.length < best.path.length)) best = { folder, path };
    }
    return best;
  }

  async #opened({ textDocument: { uri, text = '', version = 0 } }: DocumentParams): Promise<void> {
    const outside = this.#folders.every((folder) => folder.uri.pathOf(uri) === undefined);
    if (outside && uri.startsWith('file:')) await this.#addFolder(uri.slice(0, uri.lastIndexOf('/')));
    const found = this.#folderOf(uri);
    if (found === undefined) return;
    found.folder.versions.set(found.path, version);
    found.folder.service.open(found.path, text);
    this.#tellSoon();
  }

  #changed({ textDocument: { uri, version = 0 }, contentChanges = [] }: DocumentParams): void {
    const found = this.#folderOf(uri);
    if (found === undefined || !found.folder.versions.has(found.path)) return;
    const { folder, path } = found;
    folder.versions.set(path, version);
    for (const change of changesOf(contentChanges)) folder.service.change(path, change(folder.service.lines(path)));
    this.#tellSoon();
  }

  #closed({ textDocument: { uri } }: DocumentParams): void {
    const found = this.#folderOf(uri);
    if (found === undefined || !found.folder.versions.delete(found.path)) return;
    found.folder.service.close(found.path);
    this.#tellSoon();
  }

  async #stored(changes: readonly { readonly uri: string }[]): Promise<void> {
    for (const { uri } of changes) {
      const found = this.#folderOf(uri);
      if (found) found.folder.service.provide(found.path, await found.folder.opened.read(found.path));
    }
    await this.#refresh();
  }

  async #refresh(): Promise<void> {
    for (const { opened } of this.#folders) await opened.refresh();
    this.#tellSoon();
  }

  #tellSoon(): void {
    if (this.#telling) return;
    this.#telling = true;
    const tell = () => {
      // What arrived meanwhile may change the answer: it is taken in first.
      if (this.#connection.isBusy) {
        this.#options.later(tell);
        return;
      }
      this.#telling = false;
      for (const folder of this.#folders) this.#tell(folder);
    };
    this.#options.later(tell);
  }

  /** Tells the problems of every file about which there is something else to say than last time. */
  #tell(folder: Folder): void {
    const { service, uri, said, versions } = folder;
    const linesOf = (path: string) => service.lines(path);
    const uriOf = (path: string) => uri.uriOf(path);
    const byFile = new Map<string, unknown[]>(service.paths.map((path) => [path, []]));
    for (const diagnostic of service.diagnostics()) {
      const list = byFile.get(diagnostic.file) ?? [];
      list.push(toDiagnostic(diagnostic, linesOf, uriOf));
      byFile.set(diagnostic.file, list);
    }
    for (const path of said.keys()) if (!byFile.has(path)) byFile.set(path, []);
    for (const [path, diagnostics] of byFile) {
      const version = versions.get(path);
      const text = diagnostics.length === 0 ? '' : `${version ?? ''} ${JSON.stringify(diagnostics)}`;
      if ((said.get(path) ?? '') === text) continue;
      if (text === '') said.delete(path);
      else said.set(path, text);
      this.#connection.notify('textDocument/publishDiagnostics', {
        uri: uriOf(path),
        ...(version === undefined ? {} : { version }),
        diagnostics,
      });
    }
  }
}

interface FoldersEvent {
  readonly added: readonly { readonly uri: string }[];
  readonly removed: readonly { readonly uri: string }[];
}
