import { type Attempt, type AttemptPolicy, type AttemptStore, retrySoon } from '../attempts.ts';
import { type Ask, life, type Prefix } from './commands.ts';

/** Tries to sign in, counted in a Redis server. */
export class RedisAttemptStore implements AttemptStore {
  readonly #ask: Ask;
  readonly #prefix: Prefix;

  constructor(ask: Ask, prefix: Prefix) {
    this.#ask = ask;
    this.#prefix = prefix;
  }

  async attempt(key: string, { max, window }: AttemptPolicy): Promise<Attempt> {
    const [allowed, locked, number] = await this.#ask((redis) =>
      redis.svcAttempt(this.#count(key), this.#lock(key), String(max), life(window), String(retrySoon)),
    );
    if (allowed === 1) return { allowed: true, failures: number };
    return { allowed: false, locked: locked === 1, retryAfter: number };
  }

  async failed(key: string, { max, window, lockout }: AttemptPolicy): Promise<boolean> {
    const locked = await this.#ask((redis) =>
      redis.svcAttemptFailed(this.#count(key), this.#lock(key), String(max), life(window), life(lockout)),
    );
    return locked === 1;
  }

  async succeeded(key: string): Promise<void> {
    await this.#ask((redis) => redis.del(this.#count(key), this.#lock(key)));
  }

  async withdrawn(key: string): Promise<void> {
    await this.#ask((redis) => redis.svcAttemptWithdrawn(this.#count(key)));
  }

  /** For how long the key is locked, in milliseconds; 0 where it is not. */
  async locked(key: string): Promise<number> {
    return Math.max(0, await this.#ask((redis) => redis.pttl(this.#lock(key))));
  }

  #count(key: string): string {
    return `${this.#prefix()}bf:attempts:${key}`;
  }

  #lock(key: string): string {
    return `${this.#prefix()}bf:lockout:${key}`;
  }
}
