import { Cluster, type Redis } from 'ioredis';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { fired } from '../fired.ts';
import type { Address } from './address.ts';
import type { RedisClient } from './client.ts';
import { connectCluster } from './cluster.ts';
import { storeFailure } from './failure.ts';

/** A connection that only listens would never notice that its server went silent; milliseconds between two pings. */
const askEvery = 10_000;

/** Where the servers are looked for, as messages say it. */
export interface Place {
  readonly label: string;
  /** Number of the database; a cluster has only 0. */
  readonly db: number;
}

export function placeOf({ host, port, db }: Address): Place {
  return { label: `${host}:${port}`, db };
}

/** The connection of a client. It reconnects by itself until it is closed. */
export class RedisConnection<Client extends RedisClient = Redis> {
  readonly redis: Client;
  readonly #place: Place;
  readonly #what: string;
  readonly #log: Log;
  #away = false;
  /** Not while it is opened for the first time: that says by itself what is wrong. */
  #isWatching = false;
  #asking: NodeJS.Timeout | undefined;

  /** `what` begins the log lines about a server that is lost and available again: `the cache`. */
  constructor(redis: Client, place: Place, what: string, log: Log) {
    this.redis = redis;
    this.#place = place;
    this.#what = what;
    this.#log = log;
    this.#watch();
  }

  /** False until it is opened: a command before that would open the client behind the connection's back. */
  get isOpen(): boolean {
    return this.redis.status !== 'wait';
  }

  get #isReady(): boolean {
    return this.redis.status === 'ready';
  }

  /** Rejects with `store_unavailable` naming where the server was looked for. */
  async open(signal?: AbortSignal): Promise<void> {
    if (this.#isReady) return;
    let last: unknown;
    // The nodes of a cluster say why they cannot be reached; the client only that none of them can.
    let nodeError: Error | undefined;
    const remember = (error: unknown) => {
      last = error;
    };
    const { redis } = this;
    const abandon = () => redis.disconnect();
    signal?.addEventListener('abort', abandon, { once: true });
    const rememberNode = (error: Error) => {
      if (error.message !== 'Connection is closed.') nodeError = error;
    };
    redis.on('error', remember).on('node error', rememberNode);
    try {
      if (redis instanceof Cluster) await connectCluster(redis);
      else {
        await redis.connect();
        // The client continues in database 0 when the server has no such database.
        await redis.select(this.#place.db);
      }
    } catch (error) {
      redis.disconnect();
      const cause = nodeError ?? last ?? error;
      const { message } = storeFailure(cause);
      throw new Failure('store_unavailable', `${this.#place.label}: ${message}`, { cause });
    } finally {
      signal?.removeEventListener('abort', abandon);
      redis.off('error', remember).off('node error', rememberNode);
      this.#isWatching = true;
      // What it leads to is the client's own business: it closes the connection and makes another one.
      if (this.#isReady) this.#asking = setInterval(() => this.redis.ping().catch(() => undefined), askEvery).unref();
    }
  }

  async close(cut?: AbortSignal): Promise<void> {
    clearInterval(this.#asking);
    if (this.redis.status === 'end' || this.redis.status === 'wait') return;
    await Promise.race([this.redis.quit().catch(() => {}), fired(cut)]);
    this.redis.disconnect();
  }

  async check(): Promise<void> {
    if (!this.isOpen) throw storeFailure(new Error('Connection is closed.'));
    await this.redis.ping().catch((error: unknown) => {
      throw storeFailure(error);
    });
  }

  /** One line when the server is lost and one when it is available again, however often reconnecting fails between. */
  #watch(): void {
    this.redis.on('error', (error: Error) => this.#lost(error.message));
    this.redis.on('reconnecting', () => this.#lost('the connection was closed'));
    this.redis.on('ready', () => {
      if (this.#away) this.#log.info(`${this.#what} is back`);
      this.#away = false;
    });
  }

  #lost(reason: string): void {
    if (this.#away || !this.#isWatching) return;
    this.#away = true;
    this.#log.warn(`${this.#what} is unavailable; reconnecting`, { reason });
  }
}
