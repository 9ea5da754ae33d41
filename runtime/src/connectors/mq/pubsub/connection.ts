import type { Redis } from 'ioredis';
import type { Deliver } from '../../../intake/connected-driver.ts';
import { type Connection, textOf } from '../../../net/connection.ts';
import type { Channels } from './channels.ts';
import { ChannelMessage } from './message.ts';
import { ReplyLimit } from './reply-limit.ts';

export interface ListenOptions {
  /** Makes a client that is not connected and does not connect again. */
  readonly listener: () => Redis;
  readonly mostBytes: number;
  readonly lost: (reason: string) => void;
  readonly deliver: Deliver;
}

/**
 * What is subscribed to, over a connection of its own: one that is subscribed sends nothing else. It is made with the first
 * subscription, so that a connector that only publishes has none.
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
    const { listener, lost, mostBytes } = this.#options;
    const client = listener();
    let reason = 'the server closed the connection';
    client.on('error', (error) => {
      reason = textOf(error);
    });
    client.on('messageBuffer', (channel: Buffer, content: Buffer) => this.#take(channel, undefined, content));
    client.on('pmessageBuffer', (pattern: string, channel: Buffer, content: Buffer) =>
      this.#take(channel, pattern, content),
    );
    const limit = new ReplyLimit(mostBytes);
    client.once('connect', () => {
      // Before the client reads them, which finds a message that came in one piece whole.
      client.stream.prependListener('data', (bytes: Buffer) => {
        if (this.#isRefusing || limit.admits(bytes)) return;
        this.#isRefusing = true;
        reason = `the server sent a message of more than ${mostBytes} bytes (max_message)`;
        client.disconnect();
      });
    });
    try {
      await client.connect();
    } catch (error) {
      client.disconnect();
      throw error;
    }
    client.once('end', () => lost(reason));
    this.#client = client;
    return client;
  }

  #take(channel: Buffer, pattern: string | undefined, content: Buffer): void {
    if (this.#isRefusing) return;
    this.#options.deliver(new ChannelMessage(channel.toString(), pattern, content));
  }
}
