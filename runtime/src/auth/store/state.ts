import type { Resource } from '../../contracts/plan.ts';
import type { TokenAnswer } from '../../contracts/storage.ts';
import type { AttemptStore } from './attempts.ts';
import type { SessionStore } from './sessions.ts';
import type { TicketStore } from './tickets.ts';

/** What is kept for a time: in memory, or in a Redis server that several processes share. */
export interface StateStore extends Resource {
  /** Whether it is lost with this process and invisible to others. */
  readonly processLocal: boolean;
  readonly sessions: SessionStore;
  readonly attempts: AttemptStore;
  readonly tickets: TicketStore;
  /** Takes one token from a bucket that is filled with `rate` tokens a second up to `burst`. */
  takeToken(key: string, rate: number, burst: number): TokenAnswer | Promise<TokenAnswer>;
}
