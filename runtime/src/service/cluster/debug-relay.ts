import type { Channel } from '@svc/protocol/wire';
import type { Answering } from '../debug/connection/answering.ts';
import type { DebugMessage, SendDebug } from './debug-messages.ts';
import { RelayedClient } from './relayed-client.ts';

/** Notified of what becomes of workers, and of what they say about debug connections. */
export interface CrewFollower {
  /** A worker takes requests. */
  joined(worker: number, send: SendDebug): void;
  left(worker: number): void;
  said(worker: number, message: DebugMessage): void;
  /** A connector that runs in one worker runs in this one from now on; undefined: in no worker. */
  placed(connector: string, worker: number | undefined): void;
}

/** Answers debug clients in the primary, which runs no flow: for every client all workers are one service. */
export class DebugRelay implements Answering, CrewFollower {
  readonly #workers = new Map<number, SendDebug>();
  /** The workers of connectors that run in one alone. */
  readonly #placed = new Map<string, number>();
  readonly #clients = new Map<number, RelayedClient>();
  #last = 0;

  get connections(): number {
    return this.#clients.size;
  }

  connect(channel: Channel): void {
    const id = ++this.#last;
    const client = new RelayedClient(id, channel, this.#placed);
    this.#clients.set(id, client);
    for (const [worker, send] of this.#workers) client.joined(worker, send);
    void channel.closed.then(() => {
      this.#clients.delete(id);
      client.end();
    });
  }

  close(): void {
    for (const client of this.#clients.values()) client.close(1001, 'the service stops');
  }

  joined(worker: number, send: SendDebug): void {
    this.#workers.set(worker, send);
    for (const client of this.#clients.values()) client.joined(worker, send);
  }

  left(worker: number): void {
    if (!this.#workers.delete(worker)) return;
    for (const client of this.#clients.values()) client.left(worker);
  }

  placed(connector: string, worker: number | undefined): void {
    if (worker === undefined) {
      this.#placed.delete(connector);
      return;
    }
    this.#placed.set(connector, worker);
    for (const client of this.#clients.values()) client.placed(connector, worker);
  }

  said(worker: number, message: DebugMessage): void {
    this.#clients.get(message.debug)?.said(worker, message);
  }
}
