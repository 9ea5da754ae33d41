import type { Attempt, AttemptPolicy, AttemptStore } from '../attempts.ts';
import type { Ticket, TicketStore } from '../tickets.ts';
import { found, inBoth, type Layouts } from './layout.ts';

const isUndefined = (answer: unknown) => answer === undefined;

/** Tickets in the layout that is written, and those that are left in the other one. */
export class TwoTicketStores implements TicketStore {
  readonly #layouts: () => Layouts;

  constructor(layouts: () => Layouts) {
    this.#layouts = layouts;
  }

  async issue(ticket: Ticket, ttl: number, alone: boolean): Promise<void> {
    const { written, other } = this.#layouts();
    await written.tickets.issue(ticket, ttl, alone);
    if (alone) await other?.tickets.dropAll(ticket.kind, ticket.owner);
  }

  peek(kind: string, digest: string): Promise<Ticket | undefined> {
    return found(this.#layouts(), ({ tickets }) => tickets.peek(kind, digest), isUndefined);
  }

  take(kind: string, digest: string): Promise<Ticket | undefined> {
    return found(this.#layouts(), ({ tickets }) => tickets.take(kind, digest), isUndefined);
  }

  async dropAll(kind: string, owner: string): Promise<void> {
    await inBoth(this.#layouts(), ({ tickets }) => tickets.dropAll(kind, owner));
  }
}

/** Tries counted in the layout that is written; a lock of the other one holds. */
export class TwoAttemptStores implements AttemptStore {
  readonly #layouts: () => Layouts;

  constructor(layouts: () => Layouts) {
    this.#layouts = layouts;
  }

  async attempt(key: string, policy: AttemptPolicy): Promise<Attempt> {
    const { written, other } = this.#layouts();
    const retryAfter = (await other?.attempts.locked(key)) ?? 0;
    return retryAfter > 0 ? { allowed: false, locked: true, retryAfter } : written.attempts.attempt(key, policy);
  }

  failed(key: string, policy: AttemptPolicy): Promise<boolean> {
    return this.#layouts().written.attempts.failed(key, policy);
  }

  async succeeded(key: string): Promise<void> {
    await inBoth(this.#layouts(), ({ attempts }) => attempts.succeeded(key));
  }

  withdrawn(key: string): Promise<void> {
    return this.#layouts().written.attempts.withdrawn(key);
  }
}
