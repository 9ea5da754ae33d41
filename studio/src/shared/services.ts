import type { GitState } from './git.ts';
import type { Identity } from './identity.ts';
import type { ParametersOf, ParameterTable } from './parameters.ts';
import type { TestCoverage, TestOutcome } from './tests.ts';

/** One thing the window may ask of its host. */
interface Service<P extends ParameterTable = ParameterTable, R = unknown> {
  readonly params: P;
  /** Holds the type of the result; there is no value. */
  readonly result?: R;
}

function service<R = Record<string, never>>() {
  return <const P extends ParameterTable>(params: P): Service<P, R> => ({ params });
}

/** A folder that is open in a window. */
export interface ProjectInfo {
  /** Absolute path. */
  readonly directory: string;
  /** Last part of the path. */
  readonly name: string;
  /** Whether the person said that what is in the folder may run. Nothing of it runs before. */
  readonly trusted: boolean;
}

/** A file or folder of the project. Paths are relative to its directory, with `/`. */
export interface FileEntry {
  readonly path: string;
  readonly kind: 'file' | 'folder';
}

/** A text and what it is known by on disk: `version` changes when the text does. */
export interface FileText {
  readonly path: string;
  readonly text: string;
  readonly version: string;
}

export interface SearchMatch {
  readonly path: string;
  /** From 1. */
  readonly line: number;
  /** UTF-16 offsets inside the line. */
  readonly start: number;
  readonly end: number;
  /** The line, cut to 400 characters around the match. */
  readonly text: string;
}

export type ServiceState =
  | {
      readonly kind: 'stopped';
      readonly code?: number | undefined;
      readonly reason?: string | undefined;
      /** Queues that its brokers do not have, where it could not start for that. */
      readonly missingQueues?: readonly string[] | undefined;
    }
  | { readonly kind: 'starting' }
  | {
      readonly kind: 'running';
      /** `ws://127.0.0.1:9090/debug`. */
      readonly debugAddress: string;
      /** Where the service's own HTTP servers listen, such as `http://127.0.0.1:3000`. */
      readonly addresses: readonly string[];
      readonly pid: number;
    }
  | { readonly kind: 'stopping' };

/** A notification that a flow would send, as its receiver sees it. */
export interface PreviewedMessage {
  readonly connector: string;
  /** What it comes as. */
  readonly medium: 'mail' | 'chat' | 'text' | 'push' | 'request';
  readonly shown: {
    readonly to: readonly string[];
    readonly from?: string | undefined;
    readonly title?: string | undefined;
    readonly text?: string | undefined;
    readonly html?: string | undefined;
  };
}

/** One line that the service printed. */
export interface LogLine {
  readonly at: number;
  readonly stream: 'out' | 'error';
  readonly text: string;
}

/** A message that a broker keeps, with one of `body`, `text` and `base64`. Credentials in its headers are masked. */
export interface KeptMessage {
  /** Queue, topic or stream. */
  readonly source: string;
  /** Where it is there. */
  readonly position: string;
  readonly key: string;
  /** Names it, and what is equal in place, key and content. */
  readonly digest: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body?: unknown;
  /** The text of a body that has integers beyond what numbers hold: `body` has texts in their places. */
  readonly written?: string;
  readonly text?: string;
  readonly base64?: string;
}

/** What a broker says of one queue, topic or stream; what it does not say is absent. */
export interface KeptFigures {
  readonly source: string;
  readonly side: 'waiting' | 'dead';
  readonly ready?: number;
  readonly isMissing?: true;
}

/** A message that was given up, and what its flow would do with it now. */
export interface DeadLetter extends KeptMessage {
  readonly now: {
    /** Absent where no flow takes the message. */
    readonly flow?: string;
    /** `unknown`: it depends on what a connector would answer. */
    readonly end: 'passes' | 'dropped' | 'fails' | 'unknown';
    /** Why it does not pass. */
    readonly reason?: string;
  };
}

export interface HttpAnswer {
  readonly status: number;
  readonly statusText: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Text; base64 when `encoding` says so. At most 5 MiB, `truncated` when it was more. */
  readonly body: string;
  readonly encoding: 'text' | 'base64';
  readonly truncated: boolean;
  readonly durationMs: number;
  /** The identity has to show one of these second factors first (`identities.prove`): the request was not sent. */
  readonly factor?: readonly string[] | undefined;
}

export interface Template {
  readonly id: string;
  readonly title: string;
  readonly detail: string;
  /** Kind of connector whose icon it carries, or `auth`. */
  readonly kind: string;
}

/** Everything the window may ask of its host; both hosts and the bridge are typed by it. */
export const services = {
  /** The folder this window was opened with; absent without a folder. */
  'project.current': service<{ project: ProjectInfo | undefined }>()({}),
  /** Opens a folder in this window, in place of the current one. Rejects when it is not a readable folder. */
  'project.open': service<{ project: ProjectInfo }>()({ directory: 'string' }),
  /** Asks the person for a folder; Electron only. `project` is absent when they chose none. */
  'project.choose': service<{ project: ProjectInfo | undefined }>()({}),
  /** Records that what is in the open folder may run. */
  'project.trust': service<{ project: ProjectInfo }>()({}),
  /** Folders opened before, latest first. */
  'project.recent': service<{ directories: readonly string[] }>()({}),
  /**
   * Names of folders that begin with a path as it is typed, in whole paths: at most 50, hidden ones when their dot is typed.
   * Nothing of what cannot be read.
   */
  'project.folders': service<{ folders: readonly string[] }>()({ path: 'string' }),
  /** A folder for a new project, which does not exist yet: beside the one that was opened last, else in the person's own. */
  'project.place': service<{ directory: string }>()({ name: 'string' }),
  'project.templates': service<{ templates: readonly Template[] }>()({}),
  /** Writes a template into a new folder and opens it. Rejects when the folder has files. */
  'project.create': service<{ project: ProjectInfo }>()({ template: 'string', directory: 'string' }),

  /** Every file and folder, without hidden ones and dependencies; at most 20,000. */
  'files.list': service<{ entries: readonly FileEntry[]; truncated: boolean }>()({}),
  'files.read': service<FileText>()({ path: 'string' }),
  /** An SVG file that is made of plain shapes: the icon of a plugin. Rejects with what else it holds, and when it is larger than 32 KiB. */
  'files.icon': service<{ svg: string }>()({ path: 'string' }),
  /** Every configuration file with its text, manifests of plugins too: what `svc validate` would read. */
  'files.configuration': service<{ files: readonly FileText[] }>()({}),
  /**
   * The environment variables that the configuration names with `env()`, `.env` included, so that checks see what `svc
   * validate` sees.
   */
  'files.environment': service<{ values: Readonly<Record<string, string>> }>()({}),
  /**
   * Writes a text. When `expected` is given and the file on disk has another version, nothing is written and
   * `conflict` carries what is there.
   */
  'files.write': service<{ version: string; conflict?: FileText | undefined }>()({
    path: 'string',
    text: 'string',
    expected: 'string?',
  }),
  /** Creates a file (with its folders); rejects when it exists. */
  'files.create': service<FileText>()({ path: 'string', text: 'string' }),
  'files.createFolder': service()({ path: 'string' }),
  'files.rename': service()({ from: 'string', to: 'string' }),
  /** Deletes a file or folder. */
  'files.delete': service()({ path: 'string' }),
  /** Finds text in the project's files; at most 2,000 matches. `include` and `exclude` are patterns, see `globsOf`. */
  'files.search': service<{ matches: readonly SearchMatch[]; truncated: boolean }>()({
    text: 'string',
    regex: 'flag?',
    matchCase: 'flag?',
    wholeWord: 'flag?',
    include: 'string?',
    exclude: 'string?',
  }),

  /** Unsaved text, kept beside the settings so that a crash loses nothing. An absent text forgets it. */
  'drafts.keep': service()({ path: 'string', text: 'string?' }),
  'drafts.list': service<{ drafts: readonly { path: string; text: string }[] }>()({}),

  /**
   * Starts `svc start --debug --debug-suspend` for the open, trusted folder: its event sources take nothing before a
   * debugger calls `debug.ready`. Answers at once; `service.state` follows. `capture` keeps notifications in `.svc/outbox` of the
   * folder instead of their being sent, with each start until it is false.
   */
  'service.start': service()({ capture: 'flag?' }),
  /**
   * The notifications that a flow of the open, trusted folder would send for one message, a JSON object: by the saved text, reading
   * what it reads, and sending nothing. Rejects with why it would send nothing.
   */
  'service.preview': service<{ messages: readonly PreviewedMessage[] }>()({ flow: 'string', input: 'string' }),
  /** Declares the queues that the open, trusted folder takes messages from and that its brokers do not have. */
  'service.createQueues': service<{ created: readonly string[] }>()({}),
  /**
   * The next messages that a broker keeps for a connector of the open, trusted folder, of those for which an expression over
   * `input` is true. Each stays where it is, and no service has to run. Rejects for connectors whose broker keeps none.
   */
  'service.peek': service<{ messages: readonly KeptMessage[] }>()({
    connector: 'string',
    where: 'string?',
    limit: 'int',
  }),
  /** As `service.peek`, of dead letters, each with what its flow would do now, by the saved text and calling no connector. */
  'service.deadLetters': service<{ messages: readonly DeadLetter[] }>()({
    connector: 'string',
    where: 'string?',
    limit: 'int',
  }),
  /**
   * Sends dead letters back to where they came from, or to the queue, topic or subject `to`, the earliest first: those of
   * these digests, with commas between them; `passing`: those of them that would pass now. `content` is what the one of a
   * digest is sent with in place of its own. Each is removed after the broker has what was sent.
   */
  'service.sendBack': service<{ sent: number }>()({
    connector: 'string',
    only: 'string',
    passing: 'flag?',
    to: 'string?',
    content: 'string?',
    limit: 'int',
  }),
  /** What the broker of a connector says of its queues and dead letters. No service has to run. */
  'service.figures': service<{ places: readonly KeptFigures[] }>()({ connector: 'string' }),
  /** A message as the flows of a connector take it, and where it would go. Rejects with why there is no such message. */
  'service.sample': service<{ target: string | null; message: unknown }>()({
    connector: 'string',
    target: 'string?',
  }),
  /** Sends a JSON object as a destination of a flow does; gives where it went. No service has to run. */
  'service.publish': service<{ target: string | null }>()({
    connector: 'string',
    target: 'string?',
    message: 'string',
  }),
  /** Removes the dead letters of these digests for good, the earliest first. */
  'service.discard': service<{ removed: number }>()({ connector: 'string', only: 'string', limit: 'int' }),
  'service.stop': service()({}),
  'service.restart': service()({ capture: 'flag?' }),
  'service.state': service<{ state: ServiceState; log: readonly LogLine[] }>()({}),

  /**
   * Runs the tests of the open, trusted folder as they are stored: all, or those of the files `FILE` and the ones at `FILE:LINE`. Each
   * result comes as `tests.results`; resolves when all have ended. Rejects with why they cannot run, or when they were ended.
   */
  'tests.run': service<{ total: number; failed: number; coverage?: TestCoverage | undefined }>()({
    at: 'string[]?',
    coverage: 'flag?',
  }),
  /** Ends the run, and the test that is debugged. */
  'tests.stop': service()({}),
  /**
   * Starts the test at `FILE:LINE`, which waits for a debugger that dials this address and calls `debug.ready`. Its
   * result comes as `tests.results`, and `tests.debugEnded` when its program has ended.
   */
  'tests.debug': service<{ address: string }>()({ at: 'string' }),

  /**
   * Opens a socket to a debug endpoint (`host:port` or a URL). Texts go both ways by its id. `resumed`: it is the
   * socket of the page before, which was loaded again; its session continues.
   */
  'debug.dial': service<{ id: string; address: string; resumed: boolean }>()({ address: 'string', token: 'string?' }),
  /** Closes the sockets of the page before, which this page does not resume. */
  'debug.release': service()({}),
  'debug.send': service()({ id: 'string', text: 'string' }),
  'debug.close': service()({ id: 'string' }),

  /**
   * Sends one HTTP request. `id` is chosen by the caller and names it to `http.cancel`. As an `identity` it goes to the
   * service of the open folder alone, with a token that is fetched from the endpoints that `signIn` names: `login`,
   * `refresh` and `mfa_verify`, such as `POST /auth/login`.
   */
  'http.send': service<HttpAnswer>()({
    id: 'string',
    method: 'string',
    url: 'string',
    headers: 'texts?',
    body: 'string?',
    timeoutMs: 'int?',
    identity: 'string?',
    signIn: 'texts?',
  }),
  'http.cancel': service()({ id: 'string' }),

  /** Identities of the open folder, and where their passwords and pasted tokens are kept: sealed by the keychain, or in memory alone. */
  'identities.list': service<{ identities: readonly Identity[]; place: 'keychain' | 'memory' }>()({}),
  /** Keeps a name with a password or a token; those of the same name are replaced. */
  'identities.add': service<{ identity: Identity }>()({ name: 'string', password: 'string?', token: 'string?' }),
  /** Forgets everything about one. */
  'identities.remove': service()({ id: 'string' }),
  /** Completes the sign-in of one with the code of a second factor. Rejects with the reason of the service. */
  'identities.prove': service()({ id: 'string', code: 'string' }),

  /**
   * What git knows of the open, trusted folder, or of the folder above it that is the repository; absent without git or
   * a repository. It is read only, and nothing that the repository configures is run.
   */
  'git.state': service<{ state: GitState | undefined }>()({}),
  /** The text of a file at the last commit; absent where it was not there, or one that is too large or not UTF-8. */
  'git.text': service<{ text: string | undefined }>()({ path: 'string' }),

  /** Settings of this person on this machine, as JSON text; an empty object without settings. */
  'settings.read': service<{ json: string }>()({}),
  'settings.write': service()({ json: 'string' }),

  /** Opens an https page of the product's documentation in the person's browser. */
  'system.openExternal': service()({ url: 'string' }),
  /** Writes a text or base64 content where the person says; a download in the browser. */
  'system.saveAs': service<{ saved: boolean }>()({ name: 'string', content: 'string', base64: 'flag?' }),
} as const;

export type Services = typeof services;
export type ServiceName = keyof Services;
export type ServiceParams<S extends ServiceName> = ParametersOf<Services[S]['params']>;
export type ServiceResult<S extends ServiceName> = Services[S] extends Service<infer _, infer R> ? R : never;

/** What a host says unasked. */
export interface HostEvents {
  /** Files changed on disk, by anyone. Reported within a second, many at once. */
  'files.changed': { readonly changes: readonly { readonly path: string; readonly kind: 'changed' | 'deleted' }[] };
  /** A commit was made, or another branch was checked out, by anyone. */
  'git.changed': Readonly<Record<string, never>>;
  'service.state': { readonly state: ServiceState };
  'service.log': { readonly lines: readonly LogLine[] };
  /** Those that came together come together: a run is dozens of events. */
  'debug.texts': { readonly id: string; readonly texts: readonly string[] };
  'tests.results': { readonly results: readonly TestOutcome[] };
  'tests.debugEnded': { readonly address: string; readonly reason?: string | undefined };
  'debug.closed': { readonly id: string; readonly code: number; readonly reason: string };
  /** A command chosen in the native menu. */
  'menu.command': { readonly command: string };
}

export type HostEventName = keyof HostEvents;

export const hostEvents: readonly HostEventName[] = [
  'files.changed',
  'git.changed',
  'service.state',
  'service.log',
  'debug.texts',
  'tests.results',
  'tests.debugEnded',
  'debug.closed',
  'menu.command',
];

/** The window's way to its host: the same in Electron and in a browser. */
export interface Bridge {
  readonly host: 'electron' | 'browser';
  readonly operatingSystem: 'linux' | 'macos' | 'windows';
  /** Rejects with an Error whose message can be shown. */
  call<S extends ServiceName>(name: S, params: ServiceParams<S>): Promise<ServiceResult<S>>;
  /** Listens until the returned function is called. */
  on<E extends HostEventName>(event: E, listen: (params: HostEvents[E]) => void): () => void;
}

/** What the preload script of Electron puts on `window.studio`: one function for each service, one for each event. */
export interface ExposedBridge {
  readonly operatingSystem: Bridge['operatingSystem'];
  readonly call: { readonly [S in ServiceName]: (params: ServiceParams<S>) => Promise<ServiceResult<S>> };
  readonly on: { readonly [E in HostEventName]: (listen: (params: HostEvents[E]) => void) => () => void };
}
