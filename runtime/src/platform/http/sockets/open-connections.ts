import type { Socket } from 'node:net';

/** A connection that is open, and where it is in the list. */
export interface OpenConnection {
  readonly socket: Socket;
  at: number;
}

/**
 * The open connections of a listener.
 *
 * A list whose places are used again, not a `Set`: a `Set` that changes makes a new table now and then, and the tables are
 * linked. As soon as one of them is in the old space of V8, a collection of the young space keeps all that follow, with
 * every connection that was open when one was made: nearly all of them under a storm of new connections, until the next
 * collection of the old space, which pauses the process. For the same reason the list does not become shorter.
 */
export class OpenConnections implements Iterable<Socket> {
  readonly #places: (OpenConnection | undefined)[] = [];
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(socket: Socket): OpenConnection {
    const connection = { socket, at: this.#size };
    this.#places[this.#size++] = connection;
    return connection;
  }

  /** The last one takes the place of the one that ends. */
  remove({ at }: OpenConnection): void {
    const last = this.#places[--this.#size] as OpenConnection;
    this.#places[at] = last;
    last.at = at;
    this.#places[this.#size] = undefined;
  }

  /** Those that are open now, whatever happens to them meanwhile. */
  [Symbol.iterator](): Iterator<Socket> {
    return this.#places
      .slice(0, this.#size)
      .map((connection) => (connection as OpenConnection).socket)
      .values();
  }
}
