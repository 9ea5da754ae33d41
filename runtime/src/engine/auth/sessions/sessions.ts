import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Client } from '../client.ts';
import { outdatedSignIn, Refusal } from '../refusal.ts';
import type { AuthSettings } from '../settings.ts';
import type { Account } from '../store/accounts.ts';
import type { Session, SessionFacts, SessionLife, SessionStore } from '../store/sessions.ts';
import type { StateStore } from '../store/state.ts';
import { Tokens } from '../tokens/tokens.ts';
import { AnnouncedSessionStore } from './announced-store.ts';
import type { SessionEndings } from './endings.ts';

/** Part of the idle time after which a use is noted again; at most these times, with and without a round trip. */
const noticeablePart = 20;
const longestUnnoticed = 60_000;
const shortestUnnoticed = 1_000;

/** What the sessions of a service may do, over the store that keeps them. */
export class Sessions {
  readonly store: SessionStore;
  readonly #settings: AuthSettings['sessions'];
  readonly #clock: Clock;
  readonly #life: SessionLife;
  readonly #endings: SessionEndings;
  /** Milliseconds for which uses are not noted. */
  readonly #unnoticed: number;

  constructor(
    settings: AuthSettings['sessions'],
    { sessions: store, processLocal: isLocal }: Pick<StateStore, 'sessions' | 'processLocal'>,
    endings: SessionEndings,
    clock: Clock,
  ) {
    this.#settings = settings;
    this.store = new AnnouncedSessionStore(store, endings);
    this.#endings = endings;
    this.#clock = clock;
    const { absolute_timeout: absolute, idle_timeout: idle, extend_on_activity: extended } = settings;
    this.#life = { absolute, idle, extends: extended };
    this.#unnoticed = Math.min(isLocal ? shortestUnnoticed : longestUnnoticed, idle / noticeablePart);
  }

  /**
   * Begins a session of a person, which may end an older one. Throws a Refusal where it has too many, or where its
   * sessions were ended after `generation` was read.
   */
  async begin(account: Account, client: Client, facts: SessionFacts, generation: string): Promise<Session> {
    const { track, max_active: most, on_max_reached: whenFull, absolute_timeout: absolute } = this.#settings;
    const now = this.#clock.now();
    const session: Session = {
      id: Tokens.newId(),
      userId: account.id,
      ip: track.includes('ip') ? client.ip : undefined,
      userAgent: track.includes('user_agent') ? client.userAgent : undefined,
      createdAt: now,
      lastActiveAt: now,
      expiresAt: now + absolute,
      refreshId: Tokens.newId(),
      facts,
    };
    const beginning = await this.store.begin(session, this.#life, { most, whenFull }, generation);
    if (beginning === 'outdated') throw outdatedSignIn();
    if (beginning === 'full')
      throw new Refusal(
        401,
        'max_sessions',
        `this account has ${most} sessions already; sign out of one of them first`,
      );
    return session;
  }

  /**
   * Refuses what is done in a session that has ended since it was admitted. What adds a way to sign in asks this afterwards,
   * and takes it back: who ends sessions, then looks at what the account has, sees all that stays. Throws a Refusal.
   */
  async refuseEnded({ id }: Pick<Session, 'id'>): Promise<void> {
    if ((await this.store.find(id)) === undefined)
      throw new Refusal(401, 'session_expired', 'The session has ended; sign in again.');
  }

  /** Calls once when a session is ended by this process; gives what stops that. */
  whenEnded(id: string, act: () => void): () => void {
    return this.#endings.watch(id, act);
  }

  /** A session that is looked at, and not used by that; undefined when it has ended. */
  find(id: string): Session | undefined | Promise<Session | undefined> {
    return this.store.find(id);
  }

  /**
   * A session that is used now; undefined when it has ended. One step of the store, without a promise where that is in
   * memory. `noted` is when its last use was noted, as far as that is known: only what is due is noted again.
   */
  use(id: string, noted?: number): Session | undefined | Promise<Session | undefined> {
    if (!this.#life.extends) return this.store.find(id);
    const now = this.#clock.now();
    const isNoted = noted !== undefined && Math.abs(now - noted) < this.#unnoticed;
    return isNoted ? this.store.find(id) : this.store.use(id, now, this.#unnoticed);
  }
}
