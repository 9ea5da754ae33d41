import type { TokenAnswer } from '../../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import type { AccountScope } from '../scope.ts';
import type { Sharers, StateStore } from '../state.ts';
import { type Layouts, RedisLayout } from './layout.ts';
import type { RedisStateServer } from './server.ts';
import { TwoSessionStores } from './two-sessions.ts';
import { TwoAttemptStores, TwoTicketStores } from './two-tickets.ts';

/** What every key begins with. */
const common = 'svc:auth:';
/** Milliseconds for which a service that used a state is known to do so. */
const remembered = 30 * 24 * 3_600_000;

export interface RedisStateOptions {
  /** The accounts that the state belongs to; their store is open when something is asked. */
  readonly accounts: { readonly scope: AccountScope; readonly processLocal: boolean };
  /** Replaces the scope of the accounts; undefined: the scope is used. */
  readonly prefix: string | undefined;
  /** How long what is written lasts at most, in milliseconds. */
  readonly lifetime: number;
  readonly clock: Clock;
}

/** What belongs to the accounts of one store, in a Redis server that several processes share. */
export class RedisStateStore implements StateStore {
  readonly processLocal = false;
  readonly sessions: TwoSessionStores;
  readonly attempts: TwoAttemptStores;
  readonly tickets: TwoTicketStores;
  readonly #server: RedisStateServer;
  readonly #options: RedisStateOptions;
  readonly #former: RedisLayout;
  readonly #scoped: RedisLayout;

  constructor(server: RedisStateServer, options: RedisStateOptions) {
    this.#server = server;
    this.#options = options;
    this.#former = new RedisLayout(server.ask, () => common);
    this.#scoped = new RedisLayout(server.ask, () => `${common}${this.scope}:`);
    const layouts = () => this.#layouts;
    this.sessions = new TwoSessionStores(layouts);
    this.attempts = new TwoAttemptStores(layouts);
    this.tickets = new TwoTicketStores(layouts);
  }

  get name(): string {
    return this.#server.name;
  }

  get scope(): string {
    return this.#options.prefix ?? this.#options.accounts.scope.id;
  }

  open(signal: AbortSignal): Promise<void> {
    return this.#server.open(signal);
  }

  close(): Promise<void> {
    return this.#server.close();
  }

  check(): Promise<void> {
    return this.#server.check();
  }

  takeToken(key: string, rate: number, burst: number): Promise<TokenAnswer> {
    return this.#layouts.written.takeToken(key, rate, burst);
  }

  async enter(service: string): Promise<Sharers> {
    const { accounts, clock } = this.#options;
    const now = clock.now();
    const { id } = accounts.scope;
    // Accounts in memory are others with every start, and have ids that no one has by accident.
    const noted = accounts.processLocal ? [] : this.#scoped.enter('accounts', id, now, now - remembered);
    const [services, scopes] = await Promise.all([
      this.#scoped.enter('services', service, now, now - remembered),
      noted,
    ]);
    return {
      services: services.filter((each) => each !== service),
      otherAccounts: scopes.some((each) => each !== id),
    };
  }

  get #layouts(): Layouts {
    const { accounts, clock, lifetime } = this.#options;
    const [former, scoped, now] = [this.#former, this.#scoped, clock.now()];
    if (accounts.scope.writesAsBefore(now)) return { former, scoped, written: former, other: scoped };
    const other = accounts.scope.readsAsBefore(now, lifetime) ? former : undefined;
    return { former, scoped, written: scoped, other };
  }
}
