import type { Resource } from '../../foundation/contracts/plan.ts';

/** What the owner of a lock receives. */
export interface LockGrant {
  /** Unique for this acquisition: no other owner can extend or release the lock. */
  readonly owner: string;
  /** Grows with every acquisition of the same key, for fencing. */
  readonly token: bigint;
}

/** Synchronous when the state is in this process. */
export type Eventually<T> = T | Promise<T>;

/**
 * State by which executions of flows exclude and wake each other: in this process, or in a server that several share
 * (docs/specification/state.md#stores). Each method is one atomic step and one round trip. Keys are those of the flow
 * language; the store puts its own prefix in front. Times are milliseconds. Rejects with `store_unavailable` when the
 * store is unavailable.
 *
 * Steps happen in the order in which they are asked for; those that are asked for in one turn are pipelined.
 */
export interface SyncStore extends Resource {
  /** Whether the state is lost with this process and invisible to others. */
  readonly processLocal: boolean;

  /** Tries once to take a lock; undefined while it is held. It ends by itself `ttl` after the last extension. */
  acquire(key: string, ttl: number): Eventually<LockGrant | undefined>;
  /** False when the owner no longer holds the lock. */
  extend(key: string, owner: string, ttl: number): Eventually<boolean>;
  release(key: string, owner: string): Eventually<boolean>;

  /** Tries once to take one of `most` permits of a pool: its id, or undefined while all are taken. */
  takePermit(pool: string, most: number, lease: number): Eventually<string | undefined>;
  extendPermit(pool: string, permit: string, lease: number): Eventually<boolean>;
  returnPermit(pool: string, permit: string): Eventually<boolean>;
  /** Permits taken now, without expired ones. */
  permitsTaken(pool: string): Eventually<number>;

  /** The highest number that was kept; undefined when no number is kept. */
  sequence(key: string): Eventually<bigint | undefined>;
  /** Keeps the number when it is higher than the one that is kept; `ttl` undefined: without expiry. */
  raiseSequence(key: string, value: bigint, ttl: number | undefined): Eventually<boolean>;

  /** Stores a signal and wakes all that wait for it, in every process. */
  signal(key: string, ttl: number): Eventually<void>;
  signalled(key: string): Eventually<boolean>;
  /**
   * Calls `wake` whenever the signal comes, until the returned function is called. A lost wake-up is possible: poll as
   * well.
   */
  onSignal(key: string, wake: () => void): Eventually<() => void>;
}
