import type { Channel } from '@svc/protocol/wire';
import type { Answering } from '../debug/entrance.ts';
import type { DebugMessage, SendDebug } from './debug-messages.ts';
import { RelayedClient } from './relayed-client.ts';

/** Told what becomes of workers, and what they say about debug connections. */
export interface CrewFollower {
  /** A worker takes requests. */
  joined(worker: number, send: SendDebug): void;
  left(worker: number): void;
  said(worker: number, message: DebugMessage): void;
}

/** Answers debug clients in the primary, which runs no flow: every client talks with all workers as if they were one. */
export class DebugRelay implements Answering, CrewFollower {
  readonly #workers = new Map<number, SendDebug>();
  readonly #clients = new Map<number, RelayedClient>();
  #last = 0;

  get connections(): number {
    return this.#clients.size;
  }

  connect(channel: Channel): void {
    const id = ++this.#last;
    const client = new RelayedClient(id, channel);
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

  said(worker: number, message: DebugMessage): void {
    this.#clients.get(message.debug)?.said(worker, message);
  }
}
