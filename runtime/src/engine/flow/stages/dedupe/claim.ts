import type { Reservation } from '../../hold/reservation.ts';

/**
 * The right of one message to be handled for its key: no other message compares with the stored fingerprints until it
 * ends.
 */
export interface Claim {
  readonly reservation: Reservation;
  /** Names the object that the message is about, escaped for keys of caches. */
  readonly key: string;
  /** Fingerprints of what changed by facet, to be stored when its destinations have succeeded. */
  readonly changed: ReadonlyMap<string, string>;
}
