import type { Redis, Result } from 'ioredis';
import type { Storage, TokenAnswer } from '../../../contracts/storage.ts';
import { storeFailure } from '../../../net/redis/failure.ts';
import { bucketOf } from '../bucket.ts';
import { globEscape } from '../glob.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Defined by the connector from `token-script.ts`. */
    svcTakeToken(key: string, interval: string, tolerance: string): Result<[number, number, number], Context>;
    /** Defined by the connector from `exchange-scripts.ts`. */
    svcReplace(key: string, expected: string, value: string, ttl: string): Result<number, Context>;
    svcDeleteIf(key: string, expected: string): Result<number, Context>;
  }
}

/** Keys asked for with one SCAN. */
const scanCount = 500;

/** Entries in a Redis server. Every operation is one round trip, except deleting by pattern. */
export class KvStorage implements Storage {
  readonly processLocal = false;
  readonly #redis: Redis;
  readonly #prefix: string;
  readonly #defaultTtl: number | undefined;

  constructor(redis: Redis, prefix: string | undefined, defaultTtl: number | undefined) {
    this.#redis = redis;
    this.#prefix = prefix ? `${prefix}:` : '';
    this.#defaultTtl = defaultTtl;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#asked(this.#redis.get(this.#prefix + key))) ?? undefined;
  }

  async set(key: string, value: string, ttl: number | undefined): Promise<void> {
    const name = this.#prefix + key;
    const lifetime = this.#lifetime(ttl);
    if (lifetime === undefined) await this.#asked(this.#redis.set(name, value));
    else await this.#asked(this.#redis.set(name, value, 'PX', lifetime));
  }

  async setIfAbsent(key: string, value: string, ttl: number | undefined): Promise<boolean> {
    const name = this.#prefix + key;
    const lifetime = this.#lifetime(ttl);
    const answer =
      lifetime === undefined ? this.#redis.set(name, value, 'NX') : this.#redis.set(name, value, 'PX', lifetime, 'NX');
    return (await this.#asked(answer)) === 'OK';
  }

  async replace(key: string, expected: string, value: string, ttl: number | undefined): Promise<boolean> {
    const lifetime = String(this.#lifetime(ttl) ?? '');
    return (await this.#asked(this.#redis.svcReplace(this.#prefix + key, expected, value, lifetime))) === 1;
  }

  async deleteIf(key: string, expected: string): Promise<boolean> {
    return (await this.#asked(this.#redis.svcDeleteIf(this.#prefix + key, expected))) === 1;
  }

  async delete(keys: readonly string[]): Promise<number> {
    if (keys.length === 0) return 0;
    return this.#asked(this.#redis.unlink(...keys.map((key) => this.#prefix + key)));
  }

  /** One round trip per 500 keys of the database; what a scan finds is deleted together with the next scan. */
  async deleteMatching(pattern: string): Promise<number> {
    const match = globEscape(this.#prefix) + serverGlob(pattern);
    let deleted = 0;
    let cursor = '0';
    let found: string[] = [];
    do {
      const scan = this.#asked(this.#redis.scan(cursor, 'MATCH', match, 'COUNT', scanCount));
      const [[next, names], gone] = await Promise.all([scan, this.#unlink(found)]);
      deleted += gone;
      found = names;
      cursor = next;
    } while (cursor !== '0');
    return deleted + (await this.#unlink(found));
  }

  async takeToken(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer> {
    const { interval, tolerance } = bucketOf(ratePerSecond, burst);
    const name = this.#prefix + key;
    const script = this.#redis.svcTakeToken(name, String(interval * 1000), String(tolerance * 1000));
    const [allowed, remaining, retryAfter] = await this.#asked(script);
    return { allowed: allowed === 1, remaining, retryAfter };
  }

  /** Milliseconds, at least one; undefined is for ever. */
  #lifetime(ttl: number | undefined): number | undefined {
    const lifetime = ttl || this.#defaultTtl;
    return lifetime ? Math.max(Math.round(lifetime), 1) : undefined;
  }

  async #unlink(names: readonly string[]): Promise<number> {
    return names.length === 0 ? 0 : this.#asked(this.#redis.unlink(...names));
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

/** Our globs have no classes: what the server reads as one is taken literally. */
function serverGlob(pattern: string): string {
  return pattern.replaceAll(/\\[\s\S]|[[\]^]/g, (part) => (part.length === 2 ? part : `\\${part}`));
}
