import type { Resource } from '../contracts/plan.ts';

/** What was given to whoever took a lock. */
export interface LockGrant {
  /** Unique for this acquisition: nobody else can extend or release it. */
  readonly owner: string;
  /** Grows with every acquisition of the same key, for fencing. */
  readonly token: bigint;
}

/** Answers at once where the state is in this process. */
export type Eventually<T> = T | Promise<T>;

/**
 * State by which executions of flows keep out of each other's way: in this process, or in a server that several share
 * (supplement-flows 2.12 and 8). Each method is one atomic step and one round trip. Keys are those of the flow language;
 * the store puts its own prefix in front. Times are milliseconds. Rejects with `store_unavailable` when it is away.
 *
 * Steps happen in the order in which they are asked for; those that are asked for in one turn travel together.
 */
export interface SyncStore extends Resource {
  /** Whether the state is lost with this process and unknown to others. */
  readonly processLocal: boolean;

  /** Tries once to take a lock; undefined while somebody has it. It ends by itself `ttl` after the last extension. */
  acquire(key: string, ttl: number): Eventually<LockGrant | undefined>;
  /** False when the lock is not the owner's any more. */
  extend(key: string, owner: string, ttl: number): Eventually<boolean>;
  release(key: string, owner: string): Eventually<boolean>;

  /** Tries once to take one of `most` permits of a pool: its id, or undefined while all are taken. */
  takePermit(pool: string, most: number, lease: number): Eventually<string | undefined>;
  extendPermit(pool: string, permit: string, lease: number): Eventually<boolean>;
  returnPermit(pool: string, permit: string): Eventually<boolean>;
  /** Permits taken now, those that have run out aside. */
  permitsTaken(pool: string): Eventually<number>;

  /** The highest number that was kept; undefined when there is none. */
  sequence(key: string): Eventually<bigint | undefined>;
  /** Keeps the number when it is higher than the one that is kept; `ttl` undefined keeps it for ever. */
  raiseSequence(key: string, value: bigint, ttl: number | undefined): Eventually<boolean>;

  /** Remembers a signal and wakes whoever waits for it, in every process. */
  signal(key: string, ttl: number): Eventually<void>;
  signalled(key: string): Eventually<boolean>;
  /** Calls `wake` whenever the signal comes, until the returned function is called. A lost wake-up is possible: ask again now and then. */
  onSignal(key: string, wake: () => void): Eventually<() => void>;
}
