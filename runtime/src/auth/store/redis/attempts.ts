import { type Attempt, type AttemptPolicy, type AttemptStore, retrySoon } from '../attempts.ts';
import { type Ask, life, prefix } from './commands.ts';

const countOf = (key: string) => `${prefix}bf:attempts:${key}`;
const lockOf = (key: string) => `${prefix}bf:lockout:${key}`;

/** Tries to sign in, counted in a Redis server. */
export class RedisAttemptStore implements AttemptStore {
  readonly #ask: Ask;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  async attempt(key: string, { max, window }: AttemptPolicy): Promise<Attempt> {
    const [allowed, locked, number] = await this.#ask((redis) =>
      redis.svcAttempt(countOf(key), lockOf(key), String(max), life(window), String(retrySoon)),
    );
    if (allowed === 1) return { allowed: true, failures: number };
    return { allowed: false, locked: locked === 1, retryAfter: number };
  }

  async failed(key: string, { max, window, lockout }: AttemptPolicy): Promise<boolean> {
    const locked = await this.#ask((redis) =>
      redis.svcAttemptFailed(countOf(key), lockOf(key), String(max), life(window), life(lockout)),
    );
    return locked === 1;
  }

  async succeeded(key: string): Promise<void> {
    await this.#ask((redis) => redis.del(countOf(key), lockOf(key)));
  }

  async withdrawn(key: string): Promise<void> {
    await this.#ask((redis) => redis.svcAttemptWithdrawn(countOf(key)));
  }
}
