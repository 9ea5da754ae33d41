import type { Client } from 'graphql-ws';
import type { Connection } from '../../../../platform/net/connection.ts';
import type { ConnectOptions, Deliver } from '../../../intake/broker/connected-driver.ts';
import { LiveSubscription } from './live.ts';
import type { ConnectionSettings } from './settings.ts';
import { socketClass } from './socket.ts';

/** A socket of `ws`, as far as it is used here. */
interface OpenSocket {
  send(text: string): void;
  terminate(): void;
}

type ClosedEvent = { readonly code?: unknown; readonly reason?: unknown };

/** One connection to a server, and the subscriptions over it (`graphql-transport-ws`). It is not made again. */
export class EventConnection implements Connection {
  readonly #settings: ConnectionSettings;
  readonly #deliver: Deliver;
  readonly #over = new AbortController();
  readonly #subscriptions = new Map<string, LiveSubscription>();
  /** What waits for answers to pings, in the order in which these were sent. */
  readonly #pings: (() => void)[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #client: Client | undefined;
  #socket: OpenSocket | undefined;
  #isEnded = false;

  private constructor(settings: ConnectionSettings, deliver: Deliver) {
    this.#settings = settings;
    this.#deliver = deliver;
  }

  /** Rejects with why the server did not accept it. */
  static async open(settings: ConnectionSettings, options: ConnectOptions): Promise<EventConnection> {
    const connection = new EventConnection(settings, options.deliver);
    try {
      await connection.#open(options);
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  async #open({ tls, lost, signal }: ConnectOptions): Promise<void> {
    const { url, params, keepAlive, connectTimeout } = this.#settings;
    const { createClient } = await import('graphql-ws');
    const { promise: accepted, resolve, reject } = Promise.withResolvers<void>();
    let reason: string | undefined;
    const end = (why: string) => {
      reason ??= why;
      reject(new Error(reason));
      this.#finish();
      lost(reason);
    };
    let silence: NodeJS.Timeout | undefined;
    const socket = await socketClass({
      ...this.#settings,
      tls,
      unreadable: (why) => {
        reason ??= `the server sent what cannot be read: ${why}`;
      },
    });
    signal.throwIfAborted();
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    const client = createClient({
      url,
      webSocketImpl: socket,
      lazy: false,
      onNonLazyError: () => undefined,
      retryAttempts: 0,
      connectionAckWaitTimeout: connectTimeout,
      keepAlive,
      ...(Object.keys(params).length > 0 && { connectionParams: { ...params } }),
      on: {
        opened: (made) => {
          this.#socket = made as OpenSocket;
        },
        connected: () => resolve(),
        ping: (isReceived) => {
          if (isReceived) return;
          this.#pings.push(() => undefined);
          silence = setTimeout(() => {
            reason ??= `the server did not answer a ping within ${keepAlive} ms`;
            this.#socket?.terminate();
          }, keepAlive).unref();
        },
        pong: (isReceived) => {
          if (!isReceived) return;
          clearTimeout(silence);
          this.#pings.shift()?.();
        },
        error: (error) => {
          reason ??= reasonOf(error);
          if (/\b40[13]\b/.test(reason)) this.#settings.refused();
          // The library hands out no socket before it is open.
          if (this.#socket === undefined) end(reason);
        },
        closed: (event) => {
          clearTimeout(silence);
          const { code, reason: text } = event as ClosedEvent;
          if (code === 4401 || code === 4403) this.#settings.refused();
          // The library would connect again by itself.
          this.#dispose();
          end(`the server closed the connection (${[code, text].filter((part) => part !== '').join(' ')})`);
        },
      },
    });
    this.#client = client;
    try {
      await accepted;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** These operations are subscribed to from now on, and no others. */
  follow(operations: readonly string[]): void {
    for (const [operation, subscription] of this.#subscriptions)
      if (!operations.includes(operation)) {
        subscription.end();
        this.#subscriptions.delete(operation);
      }
    const { client } = this;
    for (const operation of operations) {
      if (this.#subscriptions.has(operation)) continue;
      const options = { ...this.#settings, client, over: this.#over.signal, deliver: this.#deliver };
      this.#subscriptions.set(operation, new LiveSubscription(operation, options));
    }
  }

  private get client(): Client {
    if (this.#client === undefined || this.#isEnded) throw new Error('the connection is closed');
    return this.#client;
  }

  /** Why a subscription brings nothing; undefined when all is well. */
  get concern(): string | undefined {
    return [...this.#subscriptions.values()].flatMap(({ problem }) => problem ?? [])[0];
  }

  /** Resolves when the server has answered, and with it has read everything that was sent before. */
  async ping(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const closed = () => reject(new Error('the connection is closed'));
    if (this.#isEnded) closed();
    else {
      this.#over.signal.addEventListener('abort', closed, { once: true });
      this.#pings.push(resolve);
      this.#socket?.send('{"type":"ping"}');
    }
    await promise.finally(() => this.#over.signal.removeEventListener('abort', closed));
  }

  async close(): Promise<void> {
    this.follow([]);
    this.#dispose();
    if (this.#socket !== undefined && !this.#isEnded) await this.#closed.promise;
  }

  destroy(): void {
    this.#dispose();
    this.#socket?.terminate();
    this.#finish();
  }

  #dispose(): void {
    void Promise.resolve(this.#client?.dispose()).catch(() => undefined);
  }

  #finish(): void {
    this.#isEnded = true;
    this.#over.abort();
    this.#closed.resolve();
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof Error && error.message !== '') return error.message;
  const { message } = (error ?? {}) as { readonly message?: unknown };
  return typeof message === 'string' && message !== '' ? message : 'the connection broke';
}
