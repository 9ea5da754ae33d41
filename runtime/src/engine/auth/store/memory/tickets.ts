import type { Clock } from '../../../../foundation/observe/clock.ts';
import { checkedTicket, mostOfOwner, type Ticket, type TicketStore } from '../tickets.ts';
import { Entries } from './entries.ts';
import { Grouped } from './grouped.ts';

const most = 100_000;

/** Tickets in the memory of this process. */
export class MemoryTicketStore implements TicketStore {
  readonly #clock: Clock;
  readonly #owners = new Map<string, string>();
  readonly #byOwner = new Grouped();
  readonly #tickets: Entries<Ticket>;

  constructor(clock: Clock, mostTickets = most) {
    this.#clock = clock;
    const removed = (key: string) => this.#forget(key);
    this.#tickets = new Entries({ what: 'tickets', most: mostTickets, whenFull: 'evict', removed });
  }

  get size(): number {
    return this.#tickets.size;
  }

  async issue(ticket: Ticket, ttl: number, alone: boolean): Promise<void> {
    // As text and back, so that what is kept is what Redis would keep and no later change of it is seen.
    const { data } = checkedTicket(ticket);
    const { kind, digest, owner } = ticket;
    const group = groupOf(kind, owner);
    const held = this.#byOwner.of(group);
    for (const key of alone ? held : held.slice(0, Math.max(0, held.length + 1 - mostOfOwner))) this.#drop(key);
    const now = this.#clock.elapsed();
    const key = keyOf(kind, digest);
    this.#drop(key);
    this.#tickets.set(key, { kind, digest, owner, data: JSON.parse(data) }, now + ttl, now);
    this.#owners.set(key, group);
    this.#byOwner.add(group, key);
  }

  async peek(kind: string, digest: string): Promise<Ticket | undefined> {
    return this.#tickets.get(keyOf(kind, digest), this.#clock.elapsed());
  }

  async take(kind: string, digest: string): Promise<Ticket | undefined> {
    const key = keyOf(kind, digest);
    const ticket = this.#tickets.get(key, this.#clock.elapsed());
    this.#drop(key);
    return ticket;
  }

  async dropAll(kind: string, owner: string): Promise<void> {
    for (const key of this.#byOwner.of(groupOf(kind, owner))) this.#drop(key);
  }

  sweep(now: number): void {
    this.#tickets.sweep(now);
  }

  clear(): void {
    this.#tickets.clear();
    this.#byOwner.clear();
    this.#owners.clear();
  }

  #drop(key: string): void {
    this.#tickets.delete(key);
    this.#forget(key);
  }

  #forget(key: string): void {
    const group = this.#owners.get(key);
    if (group === undefined) return;
    this.#owners.delete(key);
    this.#byOwner.remove(group, key);
  }
}

/** A kind has no colon, and a digest is hexadecimal. */
function keyOf(kind: string, digest: string): string {
  return `${kind}:${digest}`;
}

function groupOf(kind: string, owner: string): string {
  return `${kind}:${owner}`;
}
