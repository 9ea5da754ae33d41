import type { MultiplexedConnection } from './multiplexed-connection.ts';

/** What one request says of the connection that it shares with others. */
export class ConnectionUse {
  #connection: MultiplexedConnection | undefined;
  #heard = 0;

  /** The request is sent over this connection now. */
  began(connection: MultiplexedConnection): void {
    this.#connection = connection;
    this.#heard = connection.heard;
  }

  /** The answer did not come in time: the connection may be dead. Those under way over it end there; others have another one. */
  late(): void {
    this.#connection?.retire();
  }

  /** The caller left. The peer may be slow; a connection over which nothing came meanwhile may be dead. */
  cancelled(): void {
    if (this.#connection?.heard === this.#heard) this.#connection.retire();
  }
}
