import { checkedTicket, mostOfOwner, type Ticket, type TicketStore } from '../tickets.ts';
import { type Ask, life, type Prefix } from './commands.ts';

/** Tickets in a Redis server: a hash for each, which ends by itself, and an index of those of each owner. */
export class RedisTicketStore implements TicketStore {
  readonly #ask: Ask;
  readonly #prefix: Prefix;

  constructor(ask: Ask, prefix: Prefix) {
    this.#ask = ask;
    this.#prefix = prefix;
  }

  async issue(ticket: Ticket, ttl: number, alone: boolean): Promise<void> {
    const { owner, data } = checkedTicket(ticket);
    const { kind, digest } = ticket;
    const most = String(alone ? 1 : mostOfOwner);
    const tickets = this.#tickets(kind);
    await this.#ask((redis) =>
      redis.svcTicketIssue(
        tickets + digest,
        this.#indexes(kind) + owner,
        ...[tickets, digest, life(ttl), most, owner, data],
      ),
    );
  }

  async peek(kind: string, digest: string): Promise<Ticket | undefined> {
    const kept = await this.#ask((redis) => redis.hmget(this.#tickets(kind) + digest, 'owner', 'data'));
    return ticketOf(kind, digest, kept);
  }

  async take(kind: string, digest: string): Promise<Ticket | undefined> {
    const kept = await this.#ask((redis) =>
      redis.svcTicketTake(this.#tickets(kind) + digest, this.#indexes(kind), digest),
    );
    return ticketOf(kind, digest, kept ?? []);
  }

  async dropAll(kind: string, owner: string): Promise<void> {
    await this.#ask((redis) => redis.svcTicketDropAll(this.#indexes(kind) + owner, this.#tickets(kind)));
  }

  #tickets(kind: string): string {
    return `${this.#prefix()}${kind}:`;
  }

  #indexes(kind: string): string {
    return `${this.#tickets(kind)}user:`;
  }
}

function ticketOf(kind: string, digest: string, [owner, data]: readonly (string | null)[]): Ticket | undefined {
  if (owner === null || owner === undefined) return undefined;
  return { kind, digest, owner, data: JSON.parse(String(data)) as Ticket['data'] };
}
