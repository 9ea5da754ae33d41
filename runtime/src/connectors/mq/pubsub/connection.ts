import type { Redis } from 'ioredis';
import { type Connection, textOf } from '../../../platform/net/connection.ts';
import { rewriteData } from '../../../platform/net/rewritten-data.ts';
import type { Deliver } from '../../intake/broker/connected-driver.ts';
import type { Channels } from './channels.ts';
import { ChannelMessage } from './message.ts';
import { ReplyLimit } from './reply-limit.ts';

/** Bytes of what a server says of itself. */
const longestGreeting = 1_048_576;

export interface ListenOptions {
  /** Makes a client that is not connected and does not connect again. */
  readonly listener: () => Redis;
  readonly mostBytes: number;
  /** Milliseconds between two questions whether the server is there; 0: it is not asked. */
  readonly heartbeat: number;
  readonly lost: (reason: string) => void;
  readonly deliver: Deliver;
}

/**
 * What is subscribed to, over a connection of its own: one that is subscribed sends nothing else. It is made with the first
 * subscription, so that it is absent where a connector only publishes.
 */
export class ChannelConnection implements Connection {
  readonly #options: ListenOptions;
  #client: Redis | undefined;
  #subscribed: Channels = { channels: [], patterns: [] };
  #isRefusing = false;

  constructor(options: ListenOptions) {
    this.#options = options;
  }

  /** Exactly these are subscribed to from now on. Rejects when the server refuses one of them. */
  async subscribe(wanted: Channels): Promise<void> {
    const before = this.#subscribed;
    this.#subscribed = wanted;
    const client = this.#client ?? (await this.#connect());
    const others = (these: readonly string[], those: readonly string[]) => these.filter((one) => !those.includes(one));
    const [channels, patterns] = [others(wanted.channels, before.channels), others(wanted.patterns, before.patterns)];
    // The new ones first: what both take is not missed.
    if (channels.length > 0) await client.subscribe(...channels);
    if (patterns.length > 0) await client.psubscribe(...patterns);
    const ended = others(before.channels, wanted.channels);
    const endedPatterns = others(before.patterns, wanted.patterns);
    if (ended.length > 0) await client.unsubscribe(...ended);
    if (endedPatterns.length > 0) await client.punsubscribe(...endedPatterns);
  }

  /** Resolves when the server has answered over the connection that is subscribed. */
  async ping(): Promise<void> {
    await this.#client?.ping();
  }

  async close(): Promise<void> {
    await this.#client?.quit();
  }

  destroy(): void {
    this.#client?.disconnect();
  }

  async #connect(): Promise<Redis> {
    const { listener, lost, mostBytes, heartbeat } = this.#options;
    const client = listener();
    let reason: string | undefined;
    /** The first one is why: what comes after it follows from it. */
    const remember = (error: unknown) => {
      reason ??= textOf(error);
    };
    client.on('error', remember);
    client.on('messageBuffer', (channel: Buffer, content: Buffer) => this.#take(channel, undefined, content));
    client.on('pmessageBuffer', (pattern: string, channel: Buffer, content: Buffer) =>
      this.#take(channel, pattern, content),
    );
    const limit = new ReplyLimit(longestGreeting);
    client.once('connect', () => {
      rewriteData(client.stream, limit, (problem) => {
        this.#isRefusing = true;
        remember(problem);
        client.disconnect();
      });
    });
    try {
      await client.connect();
      limit.most = mostBytes;
    } catch (error) {
      client.disconnect();
      // The error of the attempt says only that there is no connection.
      throw reason === undefined ? error : new Error(reason, { cause: error });
    }
    const ask = () =>
      client.ping().catch((error: unknown) => {
        remember(error);
        client.disconnect();
      });
    const asking = heartbeat > 0 ? setInterval(ask, heartbeat).unref() : undefined;
    client.once('end', () => {
      clearInterval(asking);
      lost(reason ?? 'the server closed the connection');
    });
    this.#client = client;
    return client;
  }

  #take(channel: Buffer, pattern: string | undefined, content: Buffer): void {
    if (this.#isRefusing) return;
    this.#options.deliver(new ChannelMessage(channel.toString(), pattern, content));
  }
}
