import { checkedTicket, mostOfOwner, type Ticket, type TicketStore } from '../tickets.ts';
import { type Ask, life, prefix } from './commands.ts';

const ticketsOf = (kind: string) => `${prefix}${kind}:`;
const indexesOf = (kind: string) => `${prefix}${kind}:user:`;

/** Tickets in a Redis server: a hash for each, which ends by itself, and an index of those of each owner. */
export class RedisTicketStore implements TicketStore {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async issue(ticket: Ticket, ttl: number, alone: boolean): Promise<void> {
    const { owner, data } = checkedTicket(ticket);
    const { kind, digest } = ticket;
    const most = String(alone ? 1 : mostOfOwner);
    const tickets = ticketsOf(kind);
    await this.#ask((redis) =>
      redis.svcTicketIssue(
        tickets + digest,
        indexesOf(kind) + owner,
        ...[tickets, digest, life(ttl), most, owner, data],
      ),
    );
  }

  async peek(kind: string, digest: string): Promise<Ticket | undefined> {
    const kept = await this.#ask((redis) => redis.hmget(ticketsOf(kind) + digest, 'owner', 'data'));
    return ticketOf(kind, digest, kept);
  }

  async take(kind: string, digest: string): Promise<Ticket | undefined> {
    const kept = await this.#ask((redis) => redis.svcTicketTake(ticketsOf(kind) + digest, indexesOf(kind), digest));
    return ticketOf(kind, digest, kept ?? []);
  }

  async dropAll(kind: string, owner: string): Promise<void> {
    await this.#ask((redis) => redis.svcTicketDropAll(indexesOf(kind) + owner, ticketsOf(kind)));
  }
}

function ticketOf(kind: string, digest: string, [owner, data]: readonly (string | null)[]): Ticket | undefined {
  if (owner === null || owner === undefined) return undefined;
  return { kind, digest, owner, data: JSON.parse(String(data)) as Ticket['data'] };
}
