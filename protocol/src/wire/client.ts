import type { Channel } from './channel.ts';
import { WireError } from './errors.ts';
import { type EventName, type EventParams, events } from './events.ts';
import { encodeRequest, readMessage } from './jsonrpc.ts';
import type { Methods, Params, Result } from './methods.ts';

type Listen = (params: never) => void;

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One end that calls, over one connection. */
export class WireClient {
  /** Resolves when the connection is over; calls that wait are rejected then. */
  readonly closed: Promise<void>;
  readonly #channel: Channel;
  readonly #waiting = new Map<number, Waiting>();
  readonly #listeners = new Map<EventName, Set<Listen>>();
  #isClosed = false;
  #lastId = 0;

  constructor(channel: Channel) {
    this.#channel = channel;
    channel.receive((text) => this.#take(text));
    this.closed = channel.closed.then(() => this.#end());
  }

  /** Resolves with the result; rejects with a WireError that the other end sent, or an Error when the connection ended. */
  call<M extends keyof Methods>(method: M, params: Params<M>): Promise<Result<M>> {
    if (this.#isClosed) return Promise.reject(new Error('the connection is closed'));
    const id = ++this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    this.#waiting.set(id, { resolve, reject });
    void this.#channel.send(encodeRequest(id, method, params));
    return promise as Promise<Result<M>>;
  }

  /** Listens until the returned function is called. */
  on<E extends EventName>(event: E, listen: (params: EventParams<E>) => void): () => void {
    let listeners = this.#listeners.get(event);
    if (listeners === undefined) this.#listeners.set(event, (listeners = new Set()));
    listeners.add(listen as Listen);
    return () => listeners.delete(listen as Listen);
  }

  close(): void {
    this.#channel.close();
  }

  #take(text: string): void {
    const message = readMessage(text);
    if (message.kind === 'request') {
      if (!Object.hasOwn(events, message.method)) return;
      for (const listen of this.#listeners.get(message.method as EventName) ?? []) listen(message.params as never);
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

export interface ClientOptions {
  /** Opens one connection; called again whenever it was lost. */
  readonly open: () => Promise<Channel>;
  /** Called with each new connection, before anything else: attaches and sets breakpoints again. Waited for. */
  readonly begin: (client: WireClient) => Promise<void>;
  /** Resolves after so many milliseconds; platforms have their own timers. */
  readonly sleep: (milliseconds: number) => Promise<void>;
  /** Told whenever a connection was lost or could not be opened. */
  readonly lost?: (error: Error | undefined) => void;
}

const firstPause = 250;
const longestPause = 5_000;

/**
 * Keeps a client connected until `stop` is called: waits from 250 ms to 5 s between attempts, twice as long after each
 * that failed. An answer that is an error of the protocol (`begin` refused) ends it: `ended` rejects with that error.
 */
export function connectClient({ open, begin, sleep, lost }: ClientOptions): {
  readonly stop: () => void;
  readonly ended: Promise<void>;
} {
  let current: WireClient | undefined;
  let isStopped = false;
  const run = async () => {
    let pause = firstPause;
    while (!isStopped) {
      let error: Error | undefined;
      try {
        current = new WireClient(await open());
        if (isStopped) current.close();
        else await begin(current);
        pause = firstPause;
        await current.closed;
      } catch (caught) {
        current?.close();
        if (caught instanceof WireError) throw caught;
        error = caught instanceof Error ? caught : new Error(String(caught));
      }
      if (isStopped) return;
      lost?.(error);
      await sleep(pause);
      pause = error === undefined ? firstPause : Math.min(pause * 2, longestPause);
    }
  };
  return {
    stop: () => {
      isStopped = true;
      current?.close();
    },
    ended: run(),
  };
}
