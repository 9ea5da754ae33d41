import { systemClock } from '../../../foundation/observe/clock.ts';

/** A connection that was idle for longer is asked whether it still answers before it is used; milliseconds. */
const trusted = 10_000;
/** Longest wait for that answer, for a request to stop, and for the server to close its end; milliseconds. */
export const checkTime = 2000;
/** Longest wait for the answer to a cancelled statement before its connection is destroyed; milliseconds. */
export const cancelTime = 2000;
/** Idle time before the first keep-alive probe of TCP; milliseconds. */
export const keepAliveAfter = 10_000;

/**
 * Which idle connections of a pool can be used, by when they last answered. Times are milliseconds of
 * `systemClock.elapsed()`.
 */
export class Liveness {
  /** A statement was late: connections that answered last before this moment are asked first. */
  private suspectedAt = 0;
  /** A connection turned out to be silent: those that answered last before this moment are replaced. */
  private doubtedAt = 0;

  /** Those that are idle are asked whether they answer before they are used. */
  suspect(): void {
    this.suspectedAt = systemClock.elapsed();
  }

  /** Those that are idle have gone the way of one that is silent. */
  doubt(): void {
    this.suspect();
    this.doubtedAt = this.suspectedAt;
  }

  /** The connection can be used without being asked. */
  isFresh(answered: number): boolean {
    return answered >= this.suspectedAt && systemClock.elapsed() - answered < trusted;
  }

  /** The connection is replaced without being asked. */
  isDoubted(answered: number): boolean {
    return answered < this.doubtedAt;
  }
}
