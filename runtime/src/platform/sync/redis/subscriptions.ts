import type { RedisConnection } from '../../net/redis/connection.ts';
import { storeFailure } from '../../net/redis/failure.ts';

/** The waiters of each channel, over one connection. */
export class Subscriptions {
  readonly #connection: RedisConnection;
  readonly #waiters = new Map<string, Set<() => void>>();

  /** The connection must be open. */
  constructor(connection: RedisConnection) {
    this.#connection = connection;
    const { redis } = connection;
    redis.on('message', (channel: string) => this.#wake(channel));
    // What was published while the connection was down is lost: every waiter is woken to check for itself.
    redis.on('ready', () => {
      for (const channel of [...this.#waiters.keys()]) this.#wake(channel);
    });
  }

  /** Resolves when the channel is listened to; messages that are published from then on wake the waiter. */
  async add(channel: string, wake: () => void): Promise<() => void> {
    const own = () => wake();
    let waiters = this.#waiters.get(channel);
    if (waiters === undefined) this.#waiters.set(channel, (waiters = new Set()));
    waiters.add(own);
    const leave = () => this.#leave(channel, own);
    try {
      await this.#connection.redis.subscribe(channel);
    } catch (error) {
      leave();
      throw storeFailure(error);
    }
    return leave;
  }

  close(): Promise<void> {
    this.#waiters.clear();
    return this.#connection.close();
  }

  #leave(channel: string, own: () => void): void {
    const waiters = this.#waiters.get(channel);
    if (!waiters?.delete(own) || waiters.size > 0) return;
    this.#waiters.delete(channel);
    this.#connection.redis.unsubscribe(channel).catch(() => undefined);
  }

  #wake(channel: string): void {
    for (const wake of [...(this.#waiters.get(channel) ?? [])]) wake();
  }
}
