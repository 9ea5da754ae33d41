import type { Socket } from 'node:net';
import { type ChannelModel, type ConfirmChannel, connect, type Options } from 'amqplib';
import type { ConnectOptions } from '../../../intake/connected-driver.ts';
import { type Connection, textOf, watchLoss } from '../../../net/connection.ts';
import { withinTime } from '../../../net/within-time.ts';
import type { Address } from './address.ts';

/** Milliseconds in which the broker must answer while a connection is made. */
const longestSilence = 5_000;
/** Milliseconds in which the broker must confirm a message. */
const longestConfirm = 30_000;

interface OpenOptions extends Pick<ConnectOptions, 'tls' | 'lost'> {
  /** Milliseconds. */
  readonly heartbeat: number;
  readonly clientProperties: Readonly<Record<string, string>>;
  /** Of the body of one message. */
  readonly mostBytes: number;
}

/** A connection and its one channel, which confirms what is published over it. */
export class AmqpConnection implements Connection {
  readonly channel: ConfirmChannel;
  /** Gives the connection up, with the reason. */
  readonly lose: (reason: string) => void;
  readonly #model: ChannelModel;
  #isReturned = false;
  #sending: Promise<void> = Promise.resolve();

  private constructor(model: ChannelModel, channel: ConfirmChannel, lose: (reason: string) => void) {
    this.#model = model;
    this.channel = channel;
    this.lose = lose;
    channel.on('return', () => {
      this.#isReturned = true;
    });
  }

  static async open(address: Address, options: OpenOptions): Promise<AmqpConnection> {
    const { tls, heartbeat, clientProperties, mostBytes, lost } = options;
    const { protocol, host: hostname, port, username, password } = address;
    // The library decodes the name of the virtual host a second time.
    const server = { protocol, hostname, port, username, password, vhost: encodeURIComponent(address.vhost) };
    const model = await connect(
      { ...server, heartbeat: Math.ceil(heartbeat / 1000) },
      { ...tls, timeout: longestSilence, noDelay: true, keepAlive: true, clientProperties },
    ).catch((error: unknown) => {
      // The library does not say what the broker answered about a virtual host.
      if (!/ConnectionOpenOk/.test(textOf(error))) throw error;
      throw new Error(`the broker does not open the virtual host "${address.vhost}" for this user`, { cause: error });
    });
    const watch = watchLoss(lost);
    watch(model);
    try {
      const channel = await model.createConfirmChannel();
      watch(channel);
      limitBodies(channel, mostBytes, (error) => socketOf(model).destroy(error));
      return new AmqpConnection(model, channel, lost);
    } catch (error) {
      socketOf(model).destroy();
      throw error;
    }
  }

  /** Does something over a channel of its own: the broker closes the channel of a request that it refuses. */
  async apart<T>(work: (channel: ConfirmChannel) => Promise<T>): Promise<T> {
    const channel = await this.#model.createConfirmChannel();
    channel.on('error', () => undefined);
    const result = await work(channel);
    await channel.close();
    return result;
  }

  /**
   * Sends a message straight to a queue. Resolves when the queue has it; rejects when it has not, or when that is not
   * known. The broker returns a message before it confirms it, so they are sent one after another.
   */
  send(queue: string, content: Buffer, options: Options.Publish): Promise<void> {
    const sent = this.#sending.then(() => this.#send(queue, content, options));
    this.#sending = sent.catch(() => undefined);
    return sent;
  }

  async #send(queue: string, content: Buffer, options: Options.Publish): Promise<void> {
    this.#isReturned = false;
    const { promise: confirmed, resolve, reject } = Promise.withResolvers<void>();
    this.channel.sendToQueue(queue, content, { ...options, mandatory: true }, (error: unknown) =>
      error ? reject(error as Error) : resolve(),
    );
    await withinTime(longestConfirm, () => confirmed);
    if (this.#isReturned) throw new Error(`queue "${queue}" does not exist`);
  }

  /** In this order everything that was sent over the channel reaches the broker. */
  async close(): Promise<void> {
    await this.channel.close().catch(() => undefined);
    await this.#model.close();
  }

  destroy(): void {
    socketOf(this.#model).destroy();
  }
}

/** The part of a channel that assembles messages from their frames; a content header has the size of what follows. */
interface Assembling {
  acceptMessageFrame(frame: { readonly size?: number }): void;
}

/** The library keeps a body until it has come to its end, however large its header says it is. */
function limitBodies(channel: ConfirmChannel, mostBytes: number, exceeded: (error: Error) => void): void {
  const assembling = channel as unknown as Assembling;
  const accept = assembling.acceptMessageFrame.bind(channel);
  assembling.acceptMessageFrame = (frame) => {
    if (frame.size === undefined || frame.size <= mostBytes) accept(frame);
    else exceeded(new Error(`the broker sent a message of more than ${mostBytes} bytes (max_message)`));
  };
}

function socketOf(model: ChannelModel): Socket {
  return (model as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
