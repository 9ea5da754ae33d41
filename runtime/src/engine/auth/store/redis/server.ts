import type { Resource } from '../../../../foundation/contracts/plan.ts';
import { asFailure } from '../../../../foundation/errors/classify.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Log } from '../../../../foundation/observe/log.ts';
import type { Address } from '../../../../platform/net/redis/address.ts';
import type { RedisConnection } from '../../../../platform/net/redis/connection.ts';
import { asking } from './commands.ts';

/** Milliseconds. */
const timeout = 2_000;
const connectTimeout = 5_000;

/**
 * A Redis server that keeps states. All commands go through one connection in the order in which they are given; those that
 * are given in one turn are pipelined.
 */
export class RedisStateServer implements Resource {
  readonly name: string;
  readonly ask = asking(() => this.#connection?.redis);
  readonly #address: Address;
  readonly #log: Log;
  #connection: RedisConnection | undefined;
  #isClosed = false;

  /** `name` is what health and logs call it: it reveals neither host nor credentials. */
  constructor(name: string, address: Address, log: Log) {
    const { host, port } = address;
    this.name = name;
    this.#address = address;
    this.#log = log.with({ store: name, server: `${host}:${port}` });
  }

  async open(signal: AbortSignal): Promise<void> {
    const [{ placeOf, RedisConnection }, { redisClient }, { scripts }] = await Promise.all([
      import('../../../../platform/net/redis/connection.ts'),
      import('../../../../platform/net/redis/client.ts'),
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
}
