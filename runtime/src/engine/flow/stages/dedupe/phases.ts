import { randomBytes } from 'node:crypto';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Reservation, Reservations, reservationLife } from '../../hold/reservation.ts';
import type { Frame } from '../../message/frame.ts';
import { whenDone } from '../../message/when-done.ts';
import type { FlowModel } from '../../model.ts';
import { type FlowTools, storageOf } from '../../tools.ts';
import type { Claim } from './claim.ts';
import { type Comparison, fingerprintKey, workKey } from './comparison.ts';
import { LockCounts } from './lock-counts.ts';

/**
 * Longest wait for another message about the same object, in milliseconds: longer than a dead process keeps its key.
 */
const longestWait = 2 * reservationLife;

/** Milliseconds between checks of a key that is taken. */
const [firstPause, longestPause] = [10, 250];

/** Fingerprints as they were stored, by facet; undefined for those that are not stored. */
export type Stored = ReadonlyMap<string, string | undefined>;

/** The requests of `dedupe` to its cache: one round trip before the destinations, one after them. */
export interface Phases {
  /**
   * Reserves the key and reads what is stored for it; waits while another message about the same object is handled.
   * `held` is the claim of this message when it passes a second time. Throws a Failure when the store is unavailable.
   */
  begin(frame: Frame, comparison: Comparison, held: Claim | undefined): Begun | Promise<Begun>;
  /** Stores the fingerprints of these facets and frees the key. Never fails: the message has been written. */
  end(claim: Claim, facets: readonly string[]): undefined | Promise<undefined>;
  /** Frees a key for which nothing was written. */
  free(reservation: Reservation): void;
}

interface Begun {
  /**
   * Undefined when the key is not needed: the stored content equals that of the message, and so does the content of the
   * holder of the key.
   */
  readonly reservation: Reservation | undefined;
  readonly stored: Stored;
}

export function compilePhases(
  { name: flow }: FlowModel,
  { cache, ttl }: { readonly cache: string; readonly ttl: number | undefined },
  tools: FlowTools,
): Phases {
  const { clock, log, families } = tools.services;
  const storage = storageOf(cache, tools);
  const reservations = new Reservations(storage, clock);
  const counts = new LockCounts(families, flow);
  const place = { flow, stage: 'dedupe', connector: cache };

  const free = (reservation: Reservation) => {
    reservation.release();
    counts.released();
  };

  /** Reserves and reads in one turn; undefined when another message with different content has the key. */
  const look = (reservation: Reservation, comparison: Comparison): Begun | undefined | Promise<Begun | undefined> => {
    const { key, compares, fingerprints } = comparison;
    const facets = compares ? [...fingerprints.keys()] : [];
    const found = (isTaken: boolean, [holder, ...texts]: readonly (string | undefined)[]) => {
      const stored = new Map(facets.map((facet, at) => [facet, texts[at]]));
      if (isTaken) return { reservation, stored };
      const isSame = compares && facets.every((facet) => stored.get(facet) === fingerprints.get(facet));
      return isSame && holder?.startsWith(contentOf(comparison)) ? { reservation: undefined, stored } : undefined;
    };
    const failed = (error: unknown): never => {
      // The store may have done it although its answer was lost.
      reservation.release();
      throw asFailure(error, place);
    };
    try {
      const taken = reservation.isHeld || reservation.take();
      const keys = [reservation.key, ...facets.map((facet) => fingerprintKey(flow, key, facet))];
      const read = keys.map((each) => storage.get(each));
      if (!(taken instanceof Promise) && read.every(isThere)) return found(taken, read);
      return Promise.all([taken, Promise.all(read)]).then(([isTaken, texts]) => found(isTaken, texts), failed);
    } catch (error) {
      return failed(error);
    }
  };

  const wait = async (frame: Frame, reservation: Reservation, comparison: Comparison): Promise<Begun> => {
    const began = clock.elapsed();
    for (let pause = firstPause; clock.elapsed() - began < longestWait; pause = Math.min(2 * pause, longestPause)) {
      await clock.sleep(pause, frame.waitSignal);
      const begun = await look(reservation, comparison);
      if (begun === undefined) continue;
      if (begun.reservation !== undefined) counts.acquired(clock.elapsed() - began);
      return begun;
    }
    counts.timedOut();
    const message = `flow "${flow}": another message with the same key is being handled for too long`;
    throw new Failure('key_busy', message, { at: place });
  };

  const untold = (error: unknown): undefined => {
    log.warn('the fingerprint of what was written cannot be stored, so an equal message will be written again', {
      flow,
      cache,
      error: asFailure(error, place).message,
    });
    return undefined;
  };

  return {
    free,
    begin: (frame, comparison, held) => {
      const again = held?.key === comparison.key && held.reservation.isHeld ? held.reservation : undefined;
      if (held !== undefined && again === undefined) free(held.reservation);
      const text = () => `${contentOf(comparison)} ${randomBytes(16).toString('hex')}`;
      const reservation = again ?? reservations.of(workKey(flow, comparison.key), text());
      return whenDone(look(reservation, comparison), (begun) => {
        if (begun === undefined) return wait(frame, reservation, comparison);
        if (again === undefined && begun.reservation !== undefined) counts.acquired(0);
        return begun;
      });
    },
    end: ({ reservation, key, changed }, facets) => {
      const isSure = facets.length === 0 || reservation.isHeld;
      try {
        const storing = (isSure ? facets : []).map((facet) =>
          storage.set(fingerprintKey(flow, key, facet), changed.get(facet) as string, ttl),
        );
        if (!isSure) untold(new Failure('key_busy', 'the cache lost the key, or was unavailable for too long'));
        return storing.some((each) => each instanceof Promise)
          ? Promise.all(storing).then(() => undefined, untold)
          : undefined;
      } catch (error) {
        return untold(error);
      } finally {
        free(reservation);
      }
    },
  };
}

/** The content of a message, as it is stored in the reservation of its key. */
function contentOf({ fingerprints }: Comparison): string {
  return [...fingerprints.values()].join('+');
}

function isThere(text: string | undefined | Promise<string | undefined>): text is string | undefined {
  return !(text instanceof Promise);
}
