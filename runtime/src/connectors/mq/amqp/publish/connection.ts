import type { Channel, ChannelModel, ConsumeMessage, GetMessage } from 'amqplib';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { type Connection, watchLoss } from '../../../../platform/net/connection.ts';
import type { Address } from '../address.ts';
import { connectTo, limitBodies, type OpenOptions, overOwnChannel, socketOf } from '../connection.ts';
import { ConfirmedChannel } from './confirmed-channel.ts';
import { answers } from './properties.ts';

/** Exchanges that are remembered to exist. */
const mostExchanges = 1000;

interface PublishingOptions extends OpenOptions {
  /** The broker takes no messages for now, with the reason; undefined: it does again. */
  readonly blocked: (reason: string | undefined) => void;
  /** Takes an answer to a request. */
  readonly answered: (message: ConsumeMessage) => void;
  /** Over a channel that is closed no more answers come. */
  readonly unanswered: (channel: ConfirmedChannel) => void;
}

/**
 * A connection for what is sent, which takes no messages: a broker that is short of memory stops reading what comes over a
 * connection that publishes. The broker closes the channel of a request that it refuses; another one takes its place.
 */
export class PublishingConnection implements Connection {
  readonly #model: ChannelModel;
  readonly #options: PublishingOptions;
  #opening: Promise<ConfirmedChannel>;
  #confirmed: ConfirmedChannel | undefined;
  /** The channel that awaits answers, and what resolves when it does. */
  #asking: { readonly confirmed: ConfirmedChannel; readonly consumed: Promise<unknown> } | undefined;
  readonly #exchanges = new Set<string>();
  /** End what awaits the broker. The library leaves it waiting when a connection ends while it is being closed. */
  readonly #awaiting = new Set<(error: Error) => void>();

  private constructor(model: ChannelModel, options: PublishingOptions) {
    this.#model = model;
    this.#options = options;
    this.#opening = this.#openChannel();
  }

  static async open(address: Address, options: PublishingOptions): Promise<PublishingConnection> {
    const model = await connectTo(address, options);
    watchLoss(options.lost)(model);
    model.on('blocked', (reason: string) => options.blocked(reason));
    model.on('unblocked', () => options.blocked(undefined));
    const connection = new PublishingConnection(model, options);
    try {
      await connection.#opening;
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    }
  }

  /** The channel for what is sent; undefined while no channel is open. */
  get confirmed(): ConfirmedChannel | undefined {
    return this.#confirmed;
  }

  /** Resolves with the channel once there is one. Rejects when the connection is gone. */
  get opened(): Promise<ConfirmedChannel> {
    return this.#unlessOver(this.#opening);
  }

  async #openChannel(): Promise<ConfirmedChannel> {
    const confirmed = await ConfirmedChannel.open(this.#model);
    limitBodies(confirmed.channel, this.#options.mostBytes, (error) => socketOf(this.#model).destroy(error));
    confirmed.channel.on('close', () => {
      this.#confirmed = undefined;
      this.#exchanges.clear();
      this.#options.unanswered(confirmed);
      // Of a connection that is gone no other channel can be made: what waits for one fails.
      this.#opening = this.#openChannel();
      this.#opening.catch(() => undefined);
    });
    this.#confirmed = confirmed;
    return confirmed;
  }

  /** The channel over which requests are sent: their answers come over it as well. */
  async asking(): Promise<ConfirmedChannel> {
    const confirmed = await this.opened;
    if (this.#asking?.confirmed !== confirmed) {
      const take = (message: ConsumeMessage | null) => {
        if (message !== null) this.#options.answered(message);
      };
      this.#asking = { confirmed, consumed: confirmed.channel.consume(answers, take, { noAck: true }) };
    }
    await this.#unlessOver(this.#asking.consumed);
    return confirmed;
  }

  /**
   * Whether the exchange exists, by what the broker says once. Sending to a missing one would close the channel over
   * which other messages are in flight.
   */
  async hasExchange(name: string): Promise<boolean> {
    if (this.knows(name)) return true;
    try {
      await this.apart((channel) => channel.checkExchange(name));
    } catch (error) {
      if (/404|NOT_FOUND/.test(String(error))) return false;
      throw error;
    }
    if (this.#exchanges.size >= mostExchanges) this.#exchanges.clear();
    this.#exchanges.add(name);
    return true;
  }

  /** Whether it is known that the exchange exists. */
  knows(exchange: string): boolean {
    return exchange === '' || this.#exchanges.has(exchange);
  }

  /** Takes one message of a queue and acknowledges it. */
  take(queue: string): Promise<GetMessage | undefined> {
    return this.apart(async (channel) => {
      limitBodies(channel, this.#options.mostBytes, (error) => socketOf(this.#model).destroy(error));
      const message = await channel.get(queue);
      if (message === false) return undefined;
      channel.ack(message);
      return message;
    });
  }

  /** Asks the broker whether it answers. */
  async ping(): Promise<void> {
    await this.apart(async () => undefined);
  }

  apart<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    return this.#unlessOver(overOwnChannel(this.#model, work));
  }

  async #unlessOver<T>(work: Promise<T>): Promise<T> {
    const { promise, reject } = Promise.withResolvers<never>();
    this.#awaiting.add(reject);
    try {
      return await Promise.race([work, promise]);
    } finally {
      this.#awaiting.delete(reject);
    }
  }

  async close(): Promise<void> {
    await this.#model.close();
  }

  destroy(): void {
    for (const end of this.#awaiting) end(new Failure('connector_refused', 'the connection was lost'));
    const { confirmed } = this;
    if (confirmed !== undefined) {
      confirmed.abandon();
      this.#options.unanswered(confirmed);
    }
    socketOf(this.#model).destroy();
  }
}
