import type { TokenAnswer } from '../../../foundation/contracts/storage.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { callerNetwork } from '../../../platform/http/admission/client-address.ts';
import { sharedTake } from '../../../platform/net/store-limit.ts';
import { TokenBuckets } from '../../../platform/net/token-buckets.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSettings } from '../settings.ts';
import type { StateStore } from '../store/state.ts';

/** What is limited together. `other` is what has no limit that suits it. */
export type LimitName =
  | 'login'
  | 'register'
  | 'change_password'
  | 'password_forgot'
  | 'password_reset'
  | 'refresh'
  | 'logout'
  | 'sessions'
  | 'other';

interface Limit {
  /** Requests in each `window`, in milliseconds. */
  readonly rate: number;
  readonly window: number;
  readonly burst: number;
}

const minute = 60_000;

/** What holds of an endpoint whose block is not written. */
const suited: Readonly<Record<LimitName, Limit>> = {
  login: { rate: 5, window: minute, burst: 3 },
  register: { rate: 10, window: minute, burst: 5 },
  change_password: { rate: 3, window: minute, burst: 2 },
  password_forgot: { rate: 3, window: minute, burst: 2 },
  password_reset: { rate: 5, window: minute, burst: 3 },
  refresh: { rate: 30, window: minute, burst: 10 },
  logout: { rate: 30, window: minute, burst: 10 },
  sessions: { rate: 30, window: minute, burst: 10 },
  other: { rate: 60, window: minute, burst: 10 },
};

export interface LimitOptions {
  readonly settings: NonNullable<AuthSettings['rate_limit']>;
  readonly store: Pick<StateStore, 'processLocal' | 'takeToken'>;
  readonly clock: Clock;
  readonly log: Log;
  /** Called with every answer of a shared store: whether it was given without the store. */
  readonly storeAway: (away: boolean) => void;
}

type Take = (key: string) => TokenAnswer | Promise<TokenAnswer>;

/**
 * Limits the requests to the sign-in endpoints, each kind and caller counted alone. While a shared store is unavailable,
 * each process limits with the same numbers.
 */
export class EndpointLimits {
  readonly #keyBy: LimitOptions['settings']['key_by'];
  readonly #take: ReadonlyMap<LimitName, Take>;

  constructor(options: LimitOptions) {
    this.#keyBy = options.settings.key_by;
    const buckets = new TokenBuckets(options.clock);
    this.#take = new Map(
      (Object.keys(suited) as LimitName[]).map((name) => [
        name,
        takeOf(name, limitOf(options.settings, name), buckets, options),
      ]),
    );
  }

  /**
   * Takes one request from what this caller may. `user` is the account that is signed in. Throws or rejects with 429
   * `rate_limited`.
   */
  take(name: LimitName, ip: string, user: string | undefined): void | Promise<void> {
    const answer = (this.#take.get(name) as Take)(this.#key(ip, user));
    return answer instanceof Promise ? answer.then(settle) : settle(answer);
  }

  #key(ip: string, user: string | undefined): string {
    const network = callerNetwork(ip);
    if (user === undefined || this.#keyBy === 'ip') return `ip:${network}`;
    return this.#keyBy === 'user' ? `user:${user}` : `ip:${network}|user:${user}`;
  }
}

function settle({ allowed, retryAfter }: TokenAnswer): void {
  if (!allowed) throw new Refusal(429, 'rate_limited', 'Too many requests. Try again later.', Math.max(1, retryAfter));
}

/** Endpoints that have a block of their own. */
const written = ['login', 'register', 'refresh', 'logout', 'change_password', 'sessions'] as const;

/** What is written of an endpoint wins, then what suits it; the numbers of the block itself are for the others. */
function limitOf(settings: LimitOptions['settings'], name: LimitName): Limit {
  const suitable = suited[name];
  const block = written.find((each) => each === name);
  const own = name === 'other' ? settings : block && settings[block];
  if (own?.rate === undefined) {
    return { rate: suitable.rate, window: own?.window ?? minute, burst: own?.burst ?? suitable.burst };
  }
  return { rate: own.rate, window: own.window ?? settings.window, burst: own.burst ?? own.rate };
}

function takeOf(name: LimitName, { rate, window, burst }: Limit, buckets: TokenBuckets, options: LimitOptions): Take {
  const { store, clock, log, storeAway } = options;
  const perSecond = (rate * 1_000) / window;
  if (store.processLocal) return (key) => store.takeToken(`${name}:${key}`, perSecond, burst);
  return sharedTake({
    connector: 'auth.storage',
    storage: () => ({ takeToken: async (key, ...numbers) => store.takeToken(key, ...numbers) }),
    prefix: `${name}:`,
    rate: perSecond,
    burst,
    local: (key) => buckets.take(`${name}:${key}`, perSecond, burst),
    clock,
    log,
    storeAway,
  });
}
