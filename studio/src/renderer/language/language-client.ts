import type { TextEdit } from '@svc/protocol/text';
import type { KnownTarget } from '@svc/protocol/wire';
import type {
  FromWorker,
  PlacedDiagnostic,
  QueryAnswer,
  QueryArguments,
  QueryName,
  ToWorker,
  ValueQuestions,
} from '../../worker/language-requests.ts';
import type { KeptRun } from '../../worker/runs.ts';
import { Store } from '../state/store.ts';
import { TargetSource } from './target-source.ts';

/** What is wrong in the project, as of the last check. */
export interface Checked {
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** How many files were checked. */
  readonly files: number;
  /** When, by `Date.now()`; undefined before the first check. */
  readonly at: number | undefined;
  readonly milliseconds: number;
}

/** The language service in its worker. Texts go there with every change; questions are answered in order. */
export class LanguageClient {
  /** Who says what the servers of connectors have, while a service is attached. */
  readonly targets = new TargetSource();
  readonly checked = new Store<Checked>({ diagnostics: [], files: 0, at: undefined, milliseconds: 0 });
  readonly #worker = new Worker(new URL('../../worker/language.ts', import.meta.url), { type: 'module' });
  readonly #waiting = new Map<number, { resolve: (answer: never) => void; reject: (error: Error) => void }>();
  #lastId = 0;

  constructor() {
    this.#worker.addEventListener('message', ({ data }: MessageEvent<FromWorker>) => this.#take(data));
  }

  /** Texts as they are on disk; an undefined text says that the file is gone. */
  provide(files: readonly { readonly path: string; readonly text: string | undefined }[]): void {
    this.#send({ kind: 'provide', files });
  }

  environment(values: Readonly<Record<string, string>>): void {
    this.#send({ kind: 'environment', values });
  }

  open(path: string, text: string): void {
    this.#send({ kind: 'open', path, text });
  }

  change(path: string, edits: readonly TextEdit[]): void {
    this.#send({ kind: 'change', path, edits });
  }

  close(path: string): void {
    this.#send({ kind: 'close', path });
  }

  /** What a running service says that the server of a connector has. */
  know(connector: string, targets: readonly KnownTarget[]): void {
    this.#send({ kind: 'know', connector, targets });
  }

  /** Asks; rejects with the message of the service, and never settles once `signal` has fired. */
  ask<Q extends QueryName>(name: Q, args: QueryArguments<Q>, signal?: AbortSignal): Promise<QueryAnswer<Q>> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<QueryAnswer<Q>>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ kind: 'query', id, name, args: args as readonly unknown[] });
    signal?.addEventListener('abort', () => {
      if (this.#waiting.delete(id)) this.#send({ kind: 'cancel', id });
    });
    return promise;
  }

  /** Asks about values; rejects with the message of the worker. */
  askValues<Q extends keyof ValueQuestions>(
    name: Q,
    ...args: Parameters<ValueQuestions[Q]>
  ): Promise<ReturnType<ValueQuestions[Q]>> {
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<ReturnType<ValueQuestions[Q]>>();
    this.#waiting.set(id, { resolve, reject });
    this.#send({ kind: 'values', id, name, args });
    return promise;
  }

  /** Keeps runs that have ended; see `askValues`. */
  keepRuns(runs: readonly KeptRun[]): void {
    this.#send({ kind: 'keep', runs });
  }

  forgetRuns(): void {
    this.#send({ kind: 'forgetRuns' });
  }

  #send(message: ToWorker): void {
    this.#worker.postMessage(message);
  }

  #take(message: FromWorker): void {
    if (message.kind === 'diagnostics') {
      const { diagnostics, files, milliseconds } = message;
      return this.checked.set({ diagnostics, files, milliseconds, at: Date.now() });
    }
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'answer') waiting?.resolve(message.answer as never);
    else waiting?.reject(new Error(message.message));
  }
}
