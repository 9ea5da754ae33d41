import { Failure } from '../../../foundation/errors/failure.ts';

/** Something that is valid once, such as a token that resets a password or a challenge that is answered later. */
export interface Ticket {
  /** What it is for: `reset`. Of small letters, digits, `-` and `_`. A ticket is found by its kind only. */
  readonly kind: string;
  /** SHA-256 of the secret that its holder has, hexadecimal: what is kept opens nothing. */
  readonly digest: string;
  /** The account. */
  readonly owner: string;
  /** What its issuer needs to know again; at most 16 KiB as JSON. */
  readonly data: Readonly<Record<string, unknown>>;
}

/** Tickets of one kind and owner that are valid at once: the oldest ends for one more. */
export const mostOfOwner = 100;

const mostData = 16 * 1_024;

/** A ticket as stores keep it, its data as JSON. Throws where it cannot be kept: an error of its issuer. */
export function checkedTicket({ kind, digest, owner, data }: Ticket): {
  readonly owner: string;
  readonly data: string;
} {
  const text = JSON.stringify(data);
  if (!/^[a-z][a-z0-9_-]*$/.test(kind)) throw new Failure('internal', `"${kind}" is not the name of a kind of tickets`);
  if (!/^[0-9a-f]{64}$/.test(digest)) throw new Failure('internal', 'a ticket has no digest of SHA-256');
  if (Buffer.byteLength(text) > mostData)
    throw new Failure('internal', `the data of a ticket exceed ${mostData} bytes`);
  return { owner, data: text };
}

/**
 * Tickets that the server keeps. Each method is one atomic step and one round trip. Rejects with `store_unavailable` when
 * the store is unavailable.
 */
export interface TicketStore {
  /** Keeps a ticket for `ttl` milliseconds; with `alone` in place of all of its kind and owner. */
  issue(ticket: Ticket, ttl: number, alone: boolean): Promise<void>;
  /** A ticket that is still valid; it stays valid. */
  peek(kind: string, digest: string): Promise<Ticket | undefined>;
  /** The same, and it is valid no longer: of several who ask at once, one gets it. */
  take(kind: string, digest: string): Promise<Ticket | undefined>;
  /** Ends all of a kind and owner. */
  dropAll(kind: string, owner: string): Promise<void>;
}
