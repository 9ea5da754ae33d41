import type { Resource } from '../../../foundation/contracts/plan.ts';
import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import type { AttemptStore } from './attempts.ts';
import type { SessionStore } from './sessions.ts';
import type { TicketStore } from './tickets.ts';

/** Who uses a state besides, as far as it is known. */
export interface Sharers {
  readonly services: readonly string[];
  /** Whether other accounts belong to it too: an id is that of one account here then, and may be that of another there. */
  readonly otherAccounts: boolean;
}

/** What is kept for a time: in memory, or in a Redis server that several processes share. */
export interface StateStore extends Resource {
  /** Whether it is lost with this process and invisible to others. */
  readonly processLocal: boolean;
  readonly sessions: SessionStore;
  readonly attempts: AttemptStore;
  readonly tickets: TicketStore;
  /** What keeps it apart from the state of other accounts; undefined where nothing else can reach it. The accounts are open. */
  readonly scope: string | undefined;
  /** Notes that a service uses it, and gives who else does. */
  enter(service: string): Sharers | Promise<Sharers>;
  /** Takes one token from a bucket that is filled with `rate` tokens a second up to `burst`. */
  takeToken(key: string, rate: number, burst: number): TokenAnswer | Promise<TokenAnswer>;
}
