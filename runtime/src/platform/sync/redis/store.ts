import { randomUUID } from 'node:crypto';
import type { Redis, Result } from 'ioredis';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import type { Address } from '../../net/redis/address.ts';
import type { RedisConnection } from '../../net/redis/connection.ts';
import { storeFailure } from '../../net/redis/failure.ts';
import type { LockGrant, SyncStore } from '../store.ts';
import type { Subscriptions } from './subscriptions.ts';
import { Undoing } from './undoing.ts';

declare module 'ioredis' {
  interface RedisCommander<Context> {
    /** Defined from `scripts.ts`. */
    svcLock(lock: string, last: string, owner: string, ttl: string): Result<string | null, Context>;
    svcLockExtend(lock: string, owner: string, ttl: string): Result<number, Context>;
    svcLockRelease(lock: string, owner: string): Result<number, Context>;
    svcPermit(pool: string, permit: string, lease: string, most: string): Result<number, Context>;
    svcPermitExtend(pool: string, permit: string, lease: string): Result<number, Context>;
    svcPermitReturn(pool: string, permit: string): Result<number, Context>;
    svcPermitsTaken(pool: string): Result<number, Context>;
    svcSequence(key: string): Result<string | null, Context>;
    svcSequenceRaise(key: string, value: string, ttl: string): Result<number, Context>;
    svcSignal(key: string, ttl: string, channel: string): Result<number, Context>;
  }
}

/** Milliseconds. */
const timeout = 2_000;
const connectTimeout = 5_000;

/** No lock has this name: a name of a lock continues with a colon and a key. */
const lastToken = 'svc:lock';
const lockOf = (key: string) => `svc:lock:${key}`;
const poolOf = (pool: string) => `svc:sem:${pool}`;
const sequenceOf = (key: string) => `svc:seqguard:${key}`;
const signalOf = (key: string) => `svc:coord:${key}`;
const channelOf = (key: string) => `svc:coord:signal:${key}`;

/**
 * State in a Redis server that several processes share. All commands go through one connection in the order in which
 * they are given; those that are given in one turn are pipelined.
 */
export class RedisSyncStore implements SyncStore {
  readonly name: string;
  readonly processLocal = false;
  readonly #address: Address;
  readonly #log: Log;
  #connection: RedisConnection | undefined;
  #subscriptions: Promise<Subscriptions> | undefined;
  #isClosed = false;
  readonly #undoing = new Undoing();

  /** `name` is what health and logs call it: it reveals neither host nor credentials. */
  constructor(name: string, address: Address, log: Log) {
    const { host, port } = address;
    this.name = name;
    this.#address = address;
    this.#log = log.with({ store: name, server: `${host}:${port}` });
  }

  async open(signal: AbortSignal): Promise<void> {
    const connection = await this.#connect('the store of locks and signals');
    await this.#prepare(connection);
    await connection.open(signal).catch((error: unknown) => {
      const { code, message } = asFailure(error);
      throw new Failure(code, `the server of a storage block: ${message}`, { cause: error });
    });
    if (this.#isClosed) await connection.close();
    else this.#connection = connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const subscriptions = await this.#subscriptions?.catch(() => undefined);
    await Promise.all([this.#connection?.close(), subscriptions?.close()]);
  }

  check(): Promise<void> {
    return this.#connection === undefined ? Promise.reject(notOpen()) : this.#connection.check();
  }

  async acquire(key: string, ttl: number): Promise<LockGrant | undefined> {
    const owner = randomUUID();
    try {
      const token = await this.#asked((redis) => redis.svcLock(lockOf(key), lastToken, owner, life(ttl)));
      return token === null ? undefined : { owner, token: BigInt(token) };
    } catch (error) {
      // Perhaps only the answer was lost: no client must wait for an owner that does not know of its lock.
      this.#undoing.add(() => this.release(key, owner), ttl);
      throw error;
    }
  }

  async extend(key: string, owner: string, ttl: number): Promise<boolean> {
    return (await this.#asked((redis) => redis.svcLockExtend(lockOf(key), owner, life(ttl)))) === 1;
  }

  async release(key: string, owner: string): Promise<boolean> {
    return (await this.#asked((redis) => redis.svcLockRelease(lockOf(key), owner))) === 1;
  }

  async takePermit(pool: string, most: number, lease: number): Promise<string | undefined> {
    const permit = randomUUID();
    try {
      const taken = await this.#asked((redis) => redis.svcPermit(poolOf(pool), permit, life(lease), String(most)));
      return taken === 1 ? permit : undefined;
    } catch (error) {
      this.#undoing.add(() => this.returnPermit(pool, permit), lease);
      throw error;
    }
  }

  async extendPermit(pool: string, permit: string, lease: number): Promise<boolean> {
    return (await this.#asked((redis) => redis.svcPermitExtend(poolOf(pool), permit, life(lease)))) === 1;
  }

  async returnPermit(pool: string, permit: string): Promise<boolean> {
    return (await this.#asked((redis) => redis.svcPermitReturn(poolOf(pool), permit))) === 1;
  }

  permitsTaken(pool: string): Promise<number> {
    return this.#asked((redis) => redis.svcPermitsTaken(poolOf(pool)));
  }

  async sequence(key: string): Promise<bigint | undefined> {
    const kept = await this.#asked((redis) => redis.svcSequence(sequenceOf(key)));
    return kept === null ? undefined : BigInt(kept);
  }

  async raiseSequence(key: string, value: bigint, ttl: number | undefined): Promise<boolean> {
    const remembered = ttl === undefined ? '' : life(ttl);
    return (await this.#asked((redis) => redis.svcSequenceRaise(sequenceOf(key), String(value), remembered))) === 1;
  }

  async signal(key: string, ttl: number): Promise<void> {
    await this.#asked((redis) => redis.svcSignal(signalOf(key), life(ttl), channelOf(key)));
  }

  async signalled(key: string): Promise<boolean> {
    return (await this.#asked((redis) => redis.exists(signalOf(key)))) === 1;
  }

  async onSignal(key: string, wake: () => void): Promise<() => void> {
    const opening = (this.#subscriptions ??= this.#subscribe());
    let subscriptions: Subscriptions;
    try {
      subscriptions = await opening;
    } catch (error) {
      // The next request tries to connect again.
      if (this.#subscriptions === opening) this.#subscriptions = undefined;
      throw error;
    }
    return subscriptions.add(channelOf(key), wake);
  }

  async #connect(what: string): Promise<RedisConnection> {
    const [{ placeOf, RedisConnection }, { redisClient }, { scripts }] = await Promise.all([
      import('../../net/redis/connection.ts'),
      import('../../net/redis/client.ts'),
      import('./scripts.ts'),
    ]);
    const address = this.#address;
    const redis = redisClient({ address, timeout, connectTimeout, name: 'svc-sync', scripts });
    return new RedisConnection(redis, placeOf(address), what, this.#log);
  }

  /**
   * A script that the server does not know is sent a second time, after what was sent meanwhile: all scripts are loaded
   * first, so that steps happen in the order in which they were asked for.
   */
  async #prepare({ redis }: RedisConnection): Promise<void> {
    const { scripts } = await import('./scripts.ts');
    redis.on('ready', () => {
      for (const { lua } of Object.values(scripts)) redis.script('LOAD', lua).catch(() => undefined);
      this.#undoing.tryAgain();
    });
  }

  /** A connection that only subscribes: a subscribed connection accepts no other commands. */
  async #subscribe(): Promise<Subscriptions> {
    const [connection, { Subscriptions }] = await Promise.all([
      this.#connect('the connection for signals'),
      import('./subscriptions.ts'),
    ]);
    await connection.open();
    if (this.#isClosed) {
      await connection.close();
      throw notOpen();
    }
    return new Subscriptions(connection);
  }

  /** Sends the command at once. Rejects with `store_unavailable` when the server is unavailable. */
  async #asked<T>(send: (redis: Redis) => Promise<T>): Promise<T> {
    if (this.#connection === undefined) throw notOpen();
    try {
      return await send(this.#connection.redis);
    } catch (error) {
      throw storeFailure(error);
    }
  }
}

/** Whole milliseconds, at least one. */
function life(milliseconds: number): string {
  return String(Math.max(1, Math.round(milliseconds)));
}

function notOpen(): Failure {
  return new Failure('store_unavailable', 'the store cannot be reached: it is not open');
}
