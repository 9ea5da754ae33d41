import { type ConnectionSettings, SendFailure, ServerConnection } from './client-connection.ts';

export interface PoolOptions {
  readonly size: number;
  /** Messages of one connection that wait for their answers. */
  readonly mostWaiting: number;
  readonly idleTimeout: number;
}

/** A connection of the pool. */
interface Place {
  /** Messages that have it, from the moment it was chosen for them. */
  users: number;
  /** Closes it when it is idle. */
  idle: NodeJS.Timeout | undefined;
}

/**
 * The connections to one server. A message goes over the one with the fewest that wait; while all of them are busy another
 * one is made, up to the size of the pool, and then messages wait for a place.
 */
export class ConnectionPool {
  readonly #settings: ConnectionSettings;
  readonly #options: PoolOptions;
  readonly #open = new Map<ServerConnection, Place>();
  readonly #queue = new Set<() => void>();
  #ended = new AbortController();
  #making = 0;

  constructor(settings: ConnectionSettings, options: PoolOptions) {
    this.#settings = settings;
    this.#options = options;
  }

  /** Uses a connection with a place for one message. Rejects as the work does, or when no connection can be made. */
  async use<T>(signal: AbortSignal, work: (connection: ServerConnection) => Promise<T>): Promise<T> {
    const connection = await this.#take(signal);
    try {
      return await work(connection);
    } finally {
      this.#release(connection);
    }
  }

  /** Ends every connection when what was sent over it is answered, or at once when `cut` fires. */
  async close(cut: Promise<void>): Promise<void> {
    this.#ended.abort();
    const ends = [...this.#open.keys()].map((connection) => connection.close());
    await Promise.race([Promise.all(ends), cut]);
    for (const connection of this.#open.keys()) connection.destroy();
    await Promise.all(ends);
  }

  async #take(signal: AbortSignal): Promise<ServerConnection> {
    for (;;) {
      if (signal.aborted) throw new SendFailure('cancelled', 'the call was cancelled', false);
      if (this.#ended.signal.aborted) throw new SendFailure('connector_refused', 'the connector is closed', false);
      const best = this.#best();
      if (best !== undefined && (best.users === 0 || !this.#hasRoom)) return this.#occupy(best);
      if (this.#hasRoom) return this.#make(signal);
      await this.#turn(signal);
    }
  }

  get #hasRoom(): boolean {
    return this.#open.size + this.#making < this.#options.size;
  }

  /** The one with the fewest users among those with a place. */
  #best(): (Place & { readonly connection: ServerConnection }) | undefined {
    let best: (Place & { readonly connection: ServerConnection }) | undefined;
    for (const [connection, place] of this.#open) {
      if (!connection.isUsable || place.users >= this.#options.mostWaiting) continue;
      if (best === undefined || place.users < best.users) best = { ...place, connection };
    }
    return best;
  }

  #occupy({ connection }: { readonly connection: ServerConnection }): ServerConnection {
    const place = this.#open.get(connection);
    if (place !== undefined) {
      place.users++;
      clearTimeout(place.idle);
    }
    return connection;
  }

  async #make(signal: AbortSignal): Promise<ServerConnection> {
    this.#making++;
    try {
      const ends = AbortSignal.any([signal, this.#ended.signal]);
      const connection = await ServerConnection.open(this.#settings, ends, (gone) => {
        clearTimeout(this.#open.get(gone)?.idle);
        this.#open.delete(gone);
        this.#next();
      });
      this.#open.set(connection, { users: 1, idle: undefined });
      return connection;
    } finally {
      this.#making--;
      this.#next();
    }
  }

  #release(connection: ServerConnection): void {
    const place = this.#open.get(connection);
    if (place !== undefined && --place.users === 0) {
      place.idle = setTimeout(() => void connection.close(), this.#options.idleTimeout);
      place.idle.unref();
    }
    this.#next();
  }

  #turn(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const go = () => {
        this.#queue.delete(go);
        signal.removeEventListener('abort', go);
        resolve();
      };
      this.#queue.add(go);
      signal.addEventListener('abort', go, { once: true });
      this.#ended.signal.addEventListener('abort', go, { once: true });
    });
  }

  #next(): void {
    const [first] = this.#queue;
    first?.();
  }
}
