import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import { backoffDelay } from '../../../platform/net/backoff.ts';
import type { RedisClient } from '../../../platform/net/redis/client.ts';
import { reconnect } from '../../../platform/net/redis/client.ts';

/** Milliseconds between two questions whether the server of the channel is still there. */
const askEvery = 2_000;

/** The keys that have changed; undefined are all of them. */
export type Forget = (keys: readonly string[] | undefined) => void;

/**
 * The channel on which the processes that share a cache say what they have changed. It has a connection of its own. While
 * it is not connected, nothing is heard, and everything is to be forgotten.
 */
export class Invalidations {
  readonly #channel: string;
  readonly #publisher: () => RedisClient;
  readonly #listener: () => Redis;
  readonly #self = randomUUID();
  #forget: Forget = () => undefined;
  #client: Redis | undefined;
  #timer: NodeJS.Timeout | undefined;
  #asking: NodeJS.Timeout | undefined;
  #failures = 0;
  #isClosed = false;
  #isHeard = false;

  /** `listener` makes a client that is not connected and does not connect again. */
  constructor(channel: string, publisher: () => RedisClient, listener: () => Redis) {
    this.#channel = channel;
    this.#publisher = publisher;
    this.#listener = listener;
  }

  /** Whether what other processes change is heard now. */
  get isHeard(): boolean {
    return this.#isHeard;
  }

  onForget(forget: Forget): void {
    this.#forget = forget;
  }

  /** Listens until it is closed, connecting again as often as necessary. Resolves after the first attempt. */
  async open(): Promise<void> {
    this.#isClosed = false;
    let client: Redis;
    try {
      client = this.#listener();
    } catch {
      this.#again();
      return;
    }
    this.#client = client;
    client.on('error', () => undefined);
    client.on('message', (_: string, text: string) => this.#received(text));
    client.once('end', () => this.#lost(client));
    try {
      await client.connect();
      await client.subscribe(this.#channel);
      this.#failures = 0;
      this.#isHeard = client.status === 'ready';
      this.#asking = setInterval(() => client.ping().catch(() => client.disconnect()), askEvery).unref();
    } catch {
      client.disconnect();
      this.#lost(client);
    }
  }

  close(): void {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    this.#client?.disconnect();
  }

  /** Never rejects: what is not published is forgotten when its time is over. */
  async publish(keys: readonly string[] | undefined): Promise<void> {
    const text = JSON.stringify({ from: this.#self, ...(keys && { keys }) });
    try {
      await this.#publisher().publish(this.#channel, text);
    } catch {
      // The servers are unavailable, and the other processes lose their channel too.
    }
  }

  #lost(client: Redis): void {
    if (this.#client !== client) return;
    this.#client = undefined;
    this.#isHeard = false;
    clearInterval(this.#asking);
    this.#forget(undefined);
    this.#again();
  }

  #again(): void {
    if (this.#isClosed) return;
    this.#timer = setTimeout(() => void this.open(), backoffDelay(reconnect, ++this.#failures)).unref();
  }

  #received(text: string): void {
    let message: { readonly from?: unknown; readonly keys?: unknown } = {};
    try {
      message = JSON.parse(text);
    } catch {
      // What cannot be read may concern any entry.
    }
    if (message.from === this.#self) return;
    const { keys } = message;
    const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string');
    this.#forget(isList ? keys : undefined);
  }
}
