import type { Reservation } from '../../reservation.ts';

/** That one message is being handled for its key: nobody else compares with what is stored until it ends. */
export interface Claim {
  readonly reservation: Reservation;
  /** Names the thing that the message is about, escaped for keys of caches. */
  readonly key: string;
  /** Fingerprints of what changed by facet, to be stored when its destinations have succeeded. */
  readonly changed: ReadonlyMap<string, string>;
}
