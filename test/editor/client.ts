import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import {
  type CompletionItem,
  CompletionRequest,
  createProtocolConnection,
  DiagnosticSeverity,
  DidChangeTextDocumentNotification,
  DidOpenTextDocumentNotification,
  ExitNotification,
  InitializedNotification,
  InitializeRequest,
  type InitializeResult,
  type Position,
  type ProtocolConnection,
  PublishDiagnosticsNotification,
  type PublishDiagnosticsParams,
  RegistrationRequest,
  ShutdownRequest,
  type TextDocumentIdentifier,
} from 'vscode-languageserver-protocol/node';

const source = join(import.meta.dirname, '../../runtime/src/cli/program.ts');

/** An editor with one folder: `svc lsp` as a process of its own, spoken to by the client library of Visual Studio Code. */
export class EditorClient {
  readonly connection: ProtocolConnection;
  readonly directory: string;
  readonly registered: string[] = [];
  result!: InitializeResult;
  readonly #process: ChildProcess;
  readonly #said = new Map<string, PublishDiagnosticsParams>();
  readonly #waiting = new Set<() => void>();
  readonly #texts = new Map<string, string>();
  #version = 1;

  private constructor(directory: string, child: ChildProcess) {
    this.directory = directory;
    this.#process = child;
    const { stdout, stdin } = child;
    if (stdout === null || stdin === null) throw new Error('the process has no pipes');
    this.connection = createProtocolConnection(stdout, stdin);
    this.connection.onNotification(PublishDiagnosticsNotification.type, (params) => {
      this.#said.set(params.uri, params);
      for (const look of this.#waiting) look();
    });
    this.connection.onRequest(RegistrationRequest.type, ({ registrations }) => {
      this.registered.push(...registrations.map(({ method }) => method));
      for (const look of this.#waiting) look();
    });
    this.connection.listen();
  }

  /** Writes files into a new folder and opens it. `program` is the script that is run. */
  static async open(
    files: Readonly<Record<string, string>>,
    words: readonly string[] = [],
    program = source,
  ): Promise<EditorClient> {
    const directory = await mkdtemp(join(tmpdir(), 'svc-editor-'));
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(directory, path)), { recursive: true });
      await writeFile(join(directory, path), text);
    }
    const child = spawn(process.execPath, [program, 'lsp', ...words], { stdio: ['pipe', 'pipe', 'inherit'] });
    const client = new EditorClient(directory, child);
    client.result = await client.connection.sendRequest(InitializeRequest.type, {
      processId: process.pid,
      rootUri: null,
      workspaceFolders: [{ uri: pathToFileURL(directory).href, name: 'service' }],
      capabilities: {
        workspace: {
          didChangeWatchedFiles: { dynamicRegistration: true },
          workspaceEdit: { documentChanges: true, resourceOperations: ['create'] },
        },
        textDocument: { completion: { completionItem: { snippetSupport: true } } },
      },
    });
    await client.connection.sendNotification(InitializedNotification.type, {});
    return client;
  }

  uri(path: string): string {
    return pathToFileURL(join(this.directory, path)).href;
  }

  document(path: string): { textDocument: TextDocumentIdentifier } {
    return { textDocument: { uri: this.uri(path) } };
  }

  /** The document and the position behind the first occurrence of a text in it. */
  behind(path: string, text: string): { textDocument: TextDocumentIdentifier; position: Position } {
    const whole = this.#texts.get(path) ?? '';
    const at = whole.indexOf(text);
    if (at < 0) throw new Error(`${path} does not hold ${text}`);
    const before = whole.slice(0, at + text.length).split('\n');
    return { ...this.document(path), position: { line: before.length - 1, character: before.at(-1)?.length ?? 0 } };
  }

  /** What is offered behind the first occurrence of a text. */
  async offered(path: string, text: string): Promise<readonly CompletionItem[]> {
    const found = await this.connection.sendRequest(CompletionRequest.type, this.behind(path, text));
    return Array.isArray(found) ? found : (found?.items ?? []);
  }

  async show(path: string, text: string): Promise<void> {
    this.#texts.set(path, text);
    await this.connection.sendNotification(DidOpenTextDocumentNotification.type, {
      textDocument: { uri: this.uri(path), languageId: 'hcl', version: 1, text },
    });
  }

  /** Types over the first occurrence of a text, as one change of a range. */
  async type(path: string, from: string, to: string): Promise<void> {
    const { position: end } = this.behind(path, from);
    const whole = this.#texts.get(path) as string;
    const before = whole.slice(0, whole.indexOf(from)).split('\n');
    const start = { line: before.length - 1, character: before.at(-1)?.length ?? 0 };
    this.#texts.set(
      path,
      whole.replace(from, () => to),
    );
    await this.connection.sendNotification(DidChangeTextDocumentNotification.type, {
      textDocument: { uri: this.uri(path), version: ++this.#version },
      contentChanges: [{ range: { start, end }, text: to }],
    });
  }

  /** What is said about a file, as soon as its errors and warnings have these codes. */
  async problems(path: string, codes: readonly string[]): Promise<PublishDiagnosticsParams> {
    const wanted = JSON.stringify(codes);
    return this.until(() => {
      const params = this.#said.get(this.uri(path));
      const published = params?.diagnostics.filter(({ severity }) => severity !== DiagnosticSeverity.Information);
      return JSON.stringify(published?.map(({ code }) => code)) === wanted ? params : undefined;
    });
  }

  /** Waits for the server to say something that makes `look` answer. */
  until<T>(look: () => T | undefined): Promise<T> {
    return new Promise((resolve) => {
      const attempt = () => {
        const found = look();
        if (found === undefined) return;
        this.#waiting.delete(attempt);
        resolve(found);
      };
      this.#waiting.add(attempt);
      attempt();
    });
  }

  /** Ends the server as editors do, and gives its exit status. */
  async close(): Promise<number | null> {
    await this.connection.sendRequest(ShutdownRequest.type);
    return this.leave();
  }

  /** Tells the server, which was asked to shut down, to end, and gives its exit status. */
  async leave(): Promise<number | null> {
    const ended = once(this.#process, 'exit');
    await this.connection.sendNotification(ExitNotification.type);
    const [status] = (await ended) as [number | null];
    this.connection.dispose();
    await rm(this.directory, { recursive: true });
    return status;
  }
}
