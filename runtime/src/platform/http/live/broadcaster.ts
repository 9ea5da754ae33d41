import type { Addressee } from './addressee.ts';
import { EventIds } from './event-id.ts';
import type { FilteredClient, Filters } from './filters.ts';
import type { History } from './history.ts';
import { Outbox, type Receiver, type Sized } from './outbox.ts';
import type { Posted, Push } from './push.ts';
import { type Member, Rooms } from './rooms.ts';
import { YoungGeneration } from './young-generation.ts';

/** A connected client that flows send to. */
export interface Recipient<F extends Sized> extends Member, Receiver<F>, FilteredClient {}

/** Where what is sent passes that other processes get as well. */
export interface SharedChannel {
  /** Resolves when all of them will get it, this one too. Rejects with a Failure. */
  append(push: Push): Promise<void>;
}

export interface BroadcasterOptions<F extends Sized> {
  readonly filters: Filters;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly frameOf: (posted: Posted) => F;
  /** Absent: what is sent reaches the clients of this process. */
  readonly channel?: SharedChannel | undefined;
}

/** Sends to the clients of one connector: all of them, those in a room, or those of a user. */
export class Broadcaster<F extends Sized, R extends Recipient<F>> {
  readonly rooms = new Rooms<R>();
  readonly outbox = new Outbox<F, R>();
  /** Of protocols whose clients say what they got last; absent: nothing is kept. */
  history: History | undefined;
  readonly #options: BroadcasterOptions<F>;
  readonly #ids: EventIds;
  readonly #memory = new YoungGeneration();

  constructor(options: BroadcasterOptions<F>) {
    this.#options = options;
    this.#ids = new EventIds(options.now);
  }

  joined(client: R): void {
    this.rooms.add(client);
    this.#memory.connected();
  }

  /** A place that is before whatever this process sends from now on, also within the same millisecond. */
  mark(): string {
    return this.#ids.next();
  }

  /** Undefined when it has been sent; else resolves when it has. Rejects with a Failure. */
  publish(push: Push): Promise<void> | undefined {
    const { channel } = this.#options;
    return channel === undefined ? this.deliver({ push, id: this.#ids.next() }) : channel.append(push);
  }

  /** Sends to the clients of this process. */
  deliver(posted: Posted): Promise<void> | undefined {
    this.history?.add(posted);
    const { push } = posted;
    const receivers = this.#receivers(push.to);
    if (receivers.size === 0) return undefined;
    return this.outbox.push(receivers, this.#options.frameOf(posted), this.#filterOf(push));
  }

  /** Whether a client gets something that was sent before. */
  isFor({ push }: Posted, client: R): boolean {
    const { to } = push;
    if (to.kind === 'room' && !client.rooms.has(to.name)) return false;
    if (to.kind === 'user' && (client.user === '' || client.user !== to.name)) return false;
    return this.#filterOf(push)?.(client) ?? true;
  }

  #filterOf({ filter, value }: Push): ((client: R) => boolean) | undefined {
    if (filter === undefined) return undefined;
    const input = value();
    return (client) => this.#options.filters.passes(filter, input, client);
  }

  #receivers(to: Addressee): ReadonlySet<R> {
    switch (to.kind) {
      case 'all':
        return this.rooms.all;
      case 'room':
        return this.rooms.in(to.name);
      case 'user':
        return this.rooms.of(to.name);
    }
  }
}
