import { Cluster, type Redis, type Result } from 'ioredis';
import type { Counted, Storage, TokenAnswer } from '../../../foundation/contracts/storage.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { RedisClient } from '../../../platform/net/redis/client.ts';
import { mastersOf } from '../../../platform/net/redis/cluster.ts';
import { storeFailure } from '../../../platform/net/redis/failure.ts';
import { bucketOf } from '../../../platform/sync/bucket.ts';
import { notCounted } from '../../../platform/sync/counter.ts';
import { globEscape, globMatches } from '../../../platform/sync/glob.ts';
import { KvInspection } from './inspection.ts';
import { serverGlob } from './server-glob.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Defined by the connector from `sync/redis/token-script.ts`. */
    svcTakeToken(key: string, interval: string, tolerance: string): Result<[number, number, number], Context>;
    /** Defined by the connector from `exchange-scripts.ts`. */
    svcReplace(key: string, expected: string, value: string, ttl: string): Result<number, Context>;
    svcDeleteIf(key: string, expected: string): Result<number, Context>;
    svcAdd(key: string, by: string, ttl: string, limit: string): Result<[number, string], Context>;
  }
}

/** Keys asked for with one SCAN. */
const scanCount = 500;

/**
 * Entries in a Redis server, or in the nodes of a cluster. Every operation is one round trip, except deleting by
 * pattern. `client` throws while it is not open.
 */
export class KvStorage implements Storage {
  readonly processLocal = false;
  readonly #client: () => RedisClient;
  readonly #prefix: string;
  readonly #defaultTtl: number | undefined;

  constructor(client: () => RedisClient, prefix: string | undefined, defaultTtl: number | undefined) {
    this.#client = client;
    this.#prefix = prefix ? `${prefix}:` : '';
    this.#defaultTtl = defaultTtl;
  }

  async get(key: string): Promise<string | undefined> {
    return (await this.#asked((redis) => redis.get(this.#prefix + key))) ?? undefined;
  }

  /** An entry with the milliseconds that it has left, infinite where it has no end; undefined where it is absent. */
  async read(key: string): Promise<{ readonly value: string; readonly left: number } | undefined> {
    const name = this.#prefix + key;
    const [value, left] = await Promise.all([
      this.#asked((redis) => redis.get(name)),
      this.#asked((redis) => redis.pttl(name)),
    ]);
    if (value === null) return undefined;
    return { value, left: left === -1 ? Number.POSITIVE_INFINITY : left };
  }

  async set(key: string, value: string, ttl: number | undefined): Promise<void> {
    const name = this.#prefix + key;
    const lifetime = this.#lifetime(ttl);
    if (lifetime === undefined) await this.#asked((redis) => redis.set(name, value));
    else await this.#asked((redis) => redis.set(name, value, 'PX', lifetime));
  }

  async setIfAbsent(key: string, value: string, ttl: number | undefined): Promise<boolean> {
    const name = this.#prefix + key;
    const lifetime = this.#lifetime(ttl);
    const answer = await this.#asked((redis) =>
      lifetime === undefined ? redis.set(name, value, 'NX') : redis.set(name, value, 'PX', lifetime, 'NX'),
    );
    return answer === 'OK';
  }

  async replace(key: string, expected: string, value: string, ttl: number | undefined): Promise<boolean> {
    const lifetime = String(this.#lifetime(ttl) ?? '');
    const name = this.#prefix + key;
    return (await this.#asked((redis) => redis.svcReplace(name, expected, value, lifetime))) === 1;
  }

  async deleteIf(key: string, expected: string): Promise<boolean> {
    return (await this.#asked((redis) => redis.svcDeleteIf(this.#prefix + key, expected))) === 1;
  }

  async delete(keys: readonly string[]): Promise<number> {
    return this.#unlink(keys.map((key) => this.#prefix + key));
  }

  async has(key: string): Promise<boolean> {
    return (await this.#asked((redis) => redis.exists(this.#prefix + key))) === 1;
  }

  async remaining(key: string): Promise<number | undefined> {
    const left = await this.#asked((redis) => redis.pttl(this.#prefix + key));
    if (left === -1) return Number.POSITIVE_INFINITY;
    return left > 0 ? left : undefined;
  }

  async add(key: string, by: bigint, ttl: number | undefined, limit?: bigint): Promise<Counted> {
    const name = this.#prefix + key;
    const lifetime = String(this.#lifetime(ttl) ?? '');
    const added = this.#asked((redis) => redis.svcAdd(name, String(by), lifetime, String(limit ?? '')));
    const [allowed, value] = await added.catch((error: Failure) => {
      throw /not an integer|would overflow|WRONGTYPE/.test(error.message) ? notCounted() : error;
    });
    return { value: BigInt(value), allowed: allowed === 1 };
  }

  /** Every master is scanned, since each has keys of its own. */
  async deleteMatching(pattern: string): Promise<number> {
    const client = this.#client();
    const masters = client instanceof Cluster ? await mastersOf(client) : [client];
    const counts = await Promise.all(masters.map((master) => this.#deleteMatching(master, pattern)));
    return counts.reduce((sum, count) => sum + count, 0);
  }

  async takeToken(key: string, ratePerSecond: number, burst: number): Promise<TokenAnswer> {
    const { interval, tolerance } = bucketOf(ratePerSecond, burst);
    const name = this.#prefix + key;
    const [allowed, remaining, retryAfter] = await this.#asked((redis) =>
      redis.svcTakeToken(name, String(interval * 1000), String(tolerance * 1000)),
    );
    return { allowed: allowed === 1, remaining, retryAfter };
  }

  get inspection(): KvInspection {
    return new KvInspection(this.#client, this.#prefix);
  }

  /** Milliseconds, at least one; undefined is for ever. */
  #lifetime(ttl: number | undefined): number | undefined {
    const lifetime = ttl || this.#defaultTtl;
    return lifetime ? Math.max(Math.round(lifetime), 1) : undefined;
  }

  /** One round trip per 500 keys of the database; what a scan finds is deleted together with the next scan. */
  async #deleteMatching(master: Redis, pattern: string): Promise<number> {
    const whole = globEscape(this.#prefix) + pattern;
    const match = serverGlob(whole);
    const isMeant = (name: string) => globMatches(whole, name);
    let deleted = 0;
    let cursor = '0';
    let found: string[] = [];
    do {
      const scan = this.#asked(() => master.scan(cursor, 'MATCH', match, 'COUNT', scanCount));
      const [[next, names], gone] = await Promise.all([scan, this.#unlink(found)]);
      deleted += gone;
      found = names.filter(isMeant);
      cursor = next;
    } while (cursor !== '0');
    return deleted + (await this.#unlink(found));
  }

  /** One command; in a cluster one for each key, since a command has keys of one slot only. */
  async #unlink(names: readonly string[]): Promise<number> {
    if (names.length === 0) return 0;
    return this.#asked(async (redis) => {
      if (!(redis instanceof Cluster)) return redis.unlink(...names);
      const counts = await Promise.all(names.map((name) => redis.unlink(name)));
      return counts.reduce((sum, count) => sum + count, 0);
    });
  }

  async #asked<T>(send: (redis: RedisClient) => Promise<T>): Promise<T> {
    try {
      return await send(this.#client());
    } catch (error) {
      throw error instanceof Failure ? error : storeFailure(error);
    }
  }
}
