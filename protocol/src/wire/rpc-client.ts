import type { Channel } from './channel.ts';
import { encodeRequest, readMessage } from './jsonrpc.ts';

type Listen = (params: unknown) => void;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One end that calls and listens, over one connection; tables of methods and events give it types. */
export class RpcClient {
  /** Resolves when the connection is over; calls that wait are rejected then. */
  readonly closed: Promise<void>;
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<string, Set<Listen>>();
  #isClosed = false;
  #lastId = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.receive((text) => this.#take(text));
    this.closed = channel.closed.then(() => this.#end());
  }

  /** Resolves with the result; rejects with a WireError that the other end sent, or an Error when the connection ended. */
  call(method: string, params: unknown): Promise<unknown> {
    if (this.#isClosed) return Promise.reject(new Error('the connection is closed'));
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    void this.#channel.send(encodeRequest(id, method, params));
    return promise;
  }

  /** Listens until the returned function is called. */
  on(event: string, listen: Listen): () => void {
    let listeners = this.#listeners.get(event);
    if (listeners === undefined) this.#listeners.set(event, (listeners = new Set()));
    listeners.add(listen);
    return () => listeners.delete(listen);
  }

  close(): void {
    this.#channel.close();
  }

  #take(text: string): void {
    const message = readMessage(text);
    if (message.kind === 'request') {
      for (const listen of this.#listeners.get(message.method) ?? []) listen(message.params);
      return;
    }
    const waiting = this.#waiting.get(message.id as number);
    if (waiting === undefined) return;
    this.#waiting.delete(message.id as number);
    if (message.kind === 'result') waiting.resolve(message.result);
    else waiting.reject(message.error);
  }

  #end(): void {
    this.#isClosed = true;
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection was closed'));
    this.#waiting.clear();
  }
}
