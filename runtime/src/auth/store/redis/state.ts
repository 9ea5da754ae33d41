import type { TokenAnswer } from '../../../contracts/storage.ts';
import { asFailure } from '../../../errors/classify.ts';
import { Failure } from '../../../errors/failure.ts';
import type { Address } from '../../../net/redis/address.ts';
import type { RedisConnection } from '../../../net/redis/connection.ts';
import type { Log } from '../../../observe/log.ts';
import { bucketOf } from '../../../sync/bucket.ts';
import type { StateStore } from '../state.ts';
import { RedisAttemptStore } from './attempts.ts';
import { asking, prefix } from './commands.ts';
import { RedisSessionStore } from './sessions.ts';
import { RedisTicketStore } from './tickets.ts';

/** Milliseconds. */
const timeout = 2_000;
const connectTimeout = 5_000;

/**
 * State in a Redis server that several processes share. All commands go through one connection in the order in which they
 * are given; those that are given in one turn are pipelined.
 */
export class RedisStateStore implements StateStore {
  readonly name: string;
  readonly processLocal = false;
  readonly sessions: RedisSessionStore;
  readonly attempts: RedisAttemptStore;
  readonly tickets: RedisTicketStore;
  readonly #address: Address;
  readonly #log: Log;
  readonly #ask = asking(() => this.#connection?.redis);
  #connection: RedisConnection | undefined;
  #isClosed = false;

  /** `name` is what health and logs call it: it reveals neither host nor credentials. */
  constructor(name: string, address: Address, log: Log) {
    const { host, port } = address;
    this.name = name;
    this.#address = address;
    this.#log = log.with({ store: name, server: `${host}:${port}` });
    this.sessions = new RedisSessionStore(this.#ask);
    this.attempts = new RedisAttemptStore(this.#ask);
    this.tickets = new RedisTicketStore(this.#ask);
  }

  async open(signal: AbortSignal): Promise<void> {
    const [{ placeOf, RedisConnection }, { redisClient }, { scripts }] = await Promise.all([
      import('../../../net/redis/connection.ts'),
      import('../../../net/redis/client.ts'),
      import('./scripts.ts'),
    ]);
    const address = this.#address;
    const redis = redisClient({ address, timeout, connectTimeout, name: 'svc-auth', scripts });
    // A script that the server does not know is sent a second time: all are loaded first, so that none costs two round trips.
    redis.on('ready', () => {
      for (const { lua } of Object.values(scripts)) redis.script('LOAD', lua).catch(() => undefined);
    });
    const connection = new RedisConnection(redis, placeOf(address), 'the store of sessions', this.#log);
    await connection.open(signal).catch((error: unknown) => {
      const { code, message } = asFailure(error);
      throw new Failure(code, `the server of auth { storage }: ${message}`, { cause: error });
    });
    if (this.#isClosed) await connection.close();
    else this.#connection = connection;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#connection?.close();
  }

  async check(): Promise<void> {
    if (this.#connection !== undefined) return this.#connection.check();
    throw new Failure('store_unavailable', 'the store cannot be reached: it is not open');
  }

  async takeToken(key: string, rate: number, burst: number): Promise<TokenAnswer> {
    const { interval, tolerance } = bucketOf(rate, burst);
    const [allowed, remaining, retryAfter] = await this.#ask((redis) =>
      redis.svcAuthTakeToken(`${prefix}rate:${key}`, String(interval * 1000), String(tolerance * 1000)),
    );
    return { allowed: allowed === 1, remaining, retryAfter };
  }
}
