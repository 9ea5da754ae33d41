import { createHash, randomInt } from 'node:crypto';
import type { Clock } from '../../../foundation/observe/clock.ts';
import { callerNetwork } from '../../../platform/http/admission/client-address.ts';
import { Refusal } from '../refusal.ts';
import type { AuthSettings } from '../settings.ts';
import type { AttemptPolicy, AttemptStore } from '../store/attempts.ts';

export interface LockoutOptions {
  readonly settings: Pick<AuthSettings, 'brute_force' | 'progressive_delay'>;
  readonly store: AttemptStore;
  readonly clock: Clock;
  /** Milliseconds that a request may wait in all, so that its answer is still sent. */
  readonly longestWait: number;
}

/** Addresses that may be found taken for each sign-in that may fail: behind one address may be many people. */
const takenPerFailure = 20;

/** One try with a credential. It ends once: further calls do nothing. */
export interface LockoutAttempt {
  /**
   * The credential was wrong, or there is no such account: counts, then waits `fail_delay`. Whether this locked. The wait
   * ends early where the caller has gone; the failure counts all the same. `took` is for how many milliseconds the
   * credential was compared, which is part of the wait: the hash of an account that was imported takes another time than
   * that of no account, and the answer says neither.
   */
  failed(took?: number): Promise<boolean>;
  /**
   * Everything that was asked for was right: what was counted is forgotten. What is counted for an address alone is of all
   * accounts: then only this try is, since with one account of one's own all others could be tried for ever.
   */
  succeeded(): Promise<void>;
  /** Nothing was compared: the try does not count. */
  withdrawn(): Promise<void>;
}

/** Failures from which on a further try waits. */
const firstWait = 2;

/**
 * Counts tries to sign in, and refuses further ones: of every kind of credential under the same keys, so that no second
 * path has tries of its own. The account does not have to exist. Rejects with `store_unavailable` where the store is
 * unavailable: no credential is looked at then.
 */
export class Lockout {
  readonly #options: LockoutOptions;
  readonly #policy: AttemptPolicy;

  constructor(options: LockoutOptions) {
    this.#options = options;
    const { max_attempts: max, window, lockout_time: lockout } = options.settings.brute_force;
    this.#policy = { max, window, lockout };
  }

  /**
   * Begins a try, before anything is looked at. `email` is normalised; undefined or empty where it is not known, such as
   * with a token that resets a password: then the address of the caller counts, whatever is configured. Rejects with 429 `account_locked` or `rate_limited`, and with the reason of `signal` when it
   * fires during the wait.
   */
  async begin(ip: string, email: string | undefined, signal?: AbortSignal): Promise<LockoutAttempt> {
    const { settings, store, clock } = this.#options;
    if (!settings.brute_force.enabled) return new Try((took) => this.#failDelay(took, signal), undefined);
    const key = this.#key(ip, email);
    const attempt = await store.attempt(key, this.#policy);
    if (!attempt.allowed) throw refusal(attempt.locked, attempt.retryAfter, clock);
    const isOfAccount = this.#isOfAccount(email);
    const counted = new Try((took) => this.#failDelay(took, signal), { store, key, policy: this.#policy, isOfAccount });
    const wait = this.#progressiveDelay(attempt.failures);
    if (wait <= 0) return counted;
    try {
      await clock.sleep(wait, signal);
    } catch (gone) {
      await counted.withdrawn();
      throw gone;
    }
    return counted;
  }

  /**
   * Begins a try at a second factor of an account. It is counted for the account alone, from whatever address it comes and
   * whatever sign-in it completes, and also where `brute_force` is turned off: a code has few digits. Rejects as `begin` does.
   */
  async beginFactor(accountId: string): Promise<LockoutAttempt> {
    const { store, clock } = this.#options;
    const key = factorKey(accountId);
    const attempt = await store.attempt(key, this.#policy);
    if (!attempt.allowed) throw refusal(attempt.locked, attempt.retryAfter, clock);
    // The wait is that of the try to sign in that this is part of.
    return new Try(async () => undefined, { store, key, policy: this.#policy, isOfAccount: true });
  }

  /**
   * Begins a registration. That an address is taken is not a failed sign-in: it is counted for the network of the caller alone, and
   * many more may be taken than sign-ins may fail. Rejects with 429 `too_many_registrations`.
   */
  async beginRegistration(ip: string, signal?: AbortSignal): Promise<LockoutAttempt> {
    const { settings, store } = this.#options;
    const delay = (took: number) => this.#failDelay(took, signal);
    if (!settings.brute_force.enabled) return new Try(delay, undefined);
    const key = createHash('sha256')
      .update(`registration ${callerNetwork(ip)}`)
      .digest('hex');
    const policy = { ...this.#policy, max: this.#policy.max * takenPerFailure };
    const attempt = await store.attempt(key, policy);
    if (attempt.allowed) return new Try(delay, { store, key, policy, isOfAccount: false });
    const message = 'Too many addresses were registered that are taken, or too many at the same time. Try again later.';
    throw new Refusal(429, 'too_many_registrations', message, attempt.retryAfter);
  }

  /** Forgets what was counted for this caller and account, such as after its password was reset. */
  async forget(ip: string, email: string): Promise<void> {
    if (this.#options.settings.brute_force.enabled && this.#isOfAccount(email))
      await this.#options.store.succeeded(this.#key(ip, email));
  }

  /** Forgets what was counted for the factors of an account. */
  async forgetFactor(accountId: string): Promise<void> {
    await this.#options.store.succeeded(factorKey(accountId));
  }

  /** Whether tries are counted for one account, so that what is right for it says something about all of them. */
  #isOfAccount(email: string | undefined): boolean {
    return this.#options.settings.brute_force.track_by !== 'ip' && email !== undefined && email !== '';
  }

  /** Digests, so that keys are short and a store holds no addresses. */
  #key(ip: string, email: string | undefined): string {
    const { track_by } = this.#options.settings.brute_force;
    const isOfAccount = this.#isOfAccount(email);
    const parts = [
      ...(track_by === 'user' && isOfAccount ? [] : [`ip ${callerNetwork(ip)}`]),
      ...(isOfAccount ? [`user ${email}`] : []),
    ];
    return createHash('sha256').update(parts.join('\n')).digest('hex');
  }

  /** After `n` failures, from the second on: `initial` times `multiplier` to the power of `n` - 1. */
  #progressiveDelay(failures: number): number {
    const { enabled, initial, max, multiplier } = this.#options.settings.progressive_delay;
    if (!enabled || failures < firstWait) return 0;
    const most = Math.max(0, this.#options.longestWait - this.#longestFailDelay);
    return Math.min(initial * multiplier ** (failures - 1), max, most);
  }

  get #longestFailDelay(): number {
    return Math.min(this.#options.settings.brute_force.fail_delay * 1.25, this.#options.longestWait);
  }

  /** A quarter more or less, so that the time of an answer says nothing about what was done for it. */
  async #failDelay(took: number, signal: AbortSignal | undefined): Promise<void> {
    const { fail_delay } = this.#options.settings.brute_force;
    if (fail_delay <= 0) return;
    const wait = fail_delay * (0.75 + randomInt(0, 500_001) / 1_000_000);
    // The caller that has gone waits for nothing.
    const left = Math.min(wait, this.#longestFailDelay) - took;
    if (left > 0) await this.#options.clock.sleep(left, signal).catch(() => undefined);
  }
}

function factorKey(accountId: string): string {
  return createHash('sha256').update(`factor ${accountId}`).digest('hex');
}

interface Counted {
  readonly store: AttemptStore;
  readonly key: string;
  readonly policy: AttemptPolicy;
  /** Whether what is counted is of one account. */
  readonly isOfAccount: boolean;
}

class Try implements LockoutAttempt {
  readonly #delay: (took: number) => Promise<void>;
  /** Undefined where nothing is counted. */
  readonly #counted: Counted | undefined;
  #ended = false;

  constructor(delay: (took: number) => Promise<void>, counted: Counted | undefined) {
    this.#delay = delay;
    this.#counted = counted;
  }

  async failed(took = 0): Promise<boolean> {
    if (this.#end()) return false;
    const locked = await this.#counted?.store.failed(this.#counted.key, this.#counted.policy);
    await this.#delay(took);
    return locked ?? false;
  }

  async succeeded(): Promise<void> {
    if (this.#counted?.isOfAccount === false) return this.withdrawn();
    if (!this.#end()) await this.#counted?.store.succeeded(this.#counted.key);
  }

  async withdrawn(): Promise<void> {
    if (!this.#end()) await this.#counted?.store.withdrawn(this.#counted.key);
  }

  #end(): boolean {
    const before = this.#ended;
    this.#ended = true;
    return before;
  }
}

function refusal(locked: boolean, retryAfter: number, clock: Clock): Refusal {
  if (!locked) return new Refusal(429, 'rate_limited', 'Too many sign-ins at the same time. Try again.', retryAfter);
  const end = new Date(clock.now() + retryAfter).toISOString();
  return new Refusal(429, 'account_locked', `Too many sign-ins failed. Sign in again after ${end}.`, retryAfter);
}
