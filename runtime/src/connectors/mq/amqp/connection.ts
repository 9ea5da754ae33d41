import type { Socket } from 'node:net';
import { type Channel, type ChannelModel, type ConfirmChannel, connect, type Options } from 'amqplib';
import { Failure } from '../../../foundation/errors/failure.ts';
import { type Connection, textOf, watchLoss } from '../../../platform/net/connection.ts';
import { joinWrites } from '../../../platform/net/joined-writes.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { ConnectOptions } from '../../intake/broker/connected-driver.ts';
import { placeholder } from '../../intake/broker/passed-over.ts';
import type { Address } from './address.ts';
import { type BrokerProperties, propertiesOf } from './other-brokers.ts';
import { ConfirmedChannel } from './publish/confirmed-channel.ts';

/** Milliseconds in which the broker must answer while a connection is made. */
const longestSilence = 5_000;
/** Milliseconds in which the broker must confirm a message. */
const longestConfirm = 30_000;

export interface OpenOptions extends Pick<ConnectOptions, 'tls' | 'lost'> {
  /** Milliseconds. */
  readonly heartbeat: number;
  readonly clientProperties: Readonly<Record<string, string>>;
  /** Called with what the broker says of itself. */
  readonly seen?: ((broker: BrokerProperties) => void) | undefined;
  /** Of the body of one message. */
  readonly mostBytes: number;
  /** A message with a larger body comes without it, to be settled; otherwise it ends the connection. */
  readonly passesOver?: boolean;
}

/** Makes a connection. Rejects with what the broker, or the network, says. */
export async function connectTo(address: Address, options: OpenOptions): Promise<ChannelModel> {
  const { tls, heartbeat, clientProperties } = options;
  const { protocol, host: hostname, port, username, password } = address;
  // The library decodes the name of the virtual host a second time.
  const server = { protocol, hostname, port, username, password, vhost: encodeURIComponent(address.vhost) };
  const model = await connect(
    { ...server, heartbeat: Math.ceil(heartbeat / 1000) },
    { ...tls, timeout: longestSilence, noDelay: true, keepAlive: true, clientProperties },
  ).catch((error: unknown) => {
    const spoken = spokenIn(textOf(error));
    if (spoken !== undefined) throw refused(`${spoken}: this connector speaks AMQP 0-9-1`, error);
    // The library does not say what the broker answered about a virtual host.
    if (!/ConnectionOpenOk/.test(textOf(error))) throw error;
    throw refused(`the broker does not open the virtual host "${address.vhost}" for this user`, error);
  });
  options.seen?.(propertiesOf(model));
  // The library writes the frames of a turn one after another, without waiting for anything between them.
  joinWrites(socketOf(model), (flush) => process.nextTick(flush));
  return model;
}

function refused(message: string, cause: unknown): Failure {
  return new Failure('connector_failed', message, { cause, retriable: false });
}

/**
 * What a server speaks that answers with something else than a frame; undefined for another error. The library takes it for a
 * frame: its kind, a channel, and a size, in which one more letter and the version are.
 */
function spokenIn(error: string): string | undefined {
  const size = Number(/^Frame size (\d+) exceeds/.exec(error)?.[1] ?? Number.NaN);
  if (Number.isNaN(size)) return undefined;
  const [letter, id, major, minor] = [24, 16, 8, 0].map((bits) => Math.floor(size / 2 ** bits) % 256);
  if (letter !== 0x50 || id === undefined || id > 3) return 'the server does not speak AMQP';
  if (id !== 1 && major === 1) return 'the broker speaks AMQP 1.0';
  return id === 1
    ? `the broker speaks AMQP ${minor === 0 ? '0-9 or 0-10' : `0-${minor}`}`
    : `the broker speaks AMQP ${major}-${minor}`;
}

/** A connection and its one channel, which confirms what is published over it. */
export class AmqpConnection implements Connection {
  readonly channel: ConfirmChannel;
  /** Gives the connection up, with the reason. */
  readonly lose: (reason: string) => void;
  /** Who signs in. */
  readonly user: string;
  readonly #model: ChannelModel;
  readonly #confirmed: ConfirmedChannel;

  private constructor(model: ChannelModel, confirmed: ConfirmedChannel, user: string, lose: (reason: string) => void) {
    this.#model = model;
    this.user = user;
    this.#confirmed = confirmed;
    this.channel = confirmed.channel;
    this.lose = lose;
  }

  static async open(address: Address, options: OpenOptions): Promise<AmqpConnection> {
    const { mostBytes, lost } = options;
    const model = await connectTo(address, options);
    const watch = watchLoss(lost);
    watch(model);
    try {
      const confirmed = await ConfirmedChannel.open(model);
      const { channel } = confirmed;
      watch(channel);
      const exceeded = (error: Error) => socketOf(model).destroy(error);
      if (options.passesOver === true) passOverBodies(channel, mostBytes, exceeded);
      else limitBodies(channel, mostBytes, exceeded);
      return new AmqpConnection(model, confirmed, address.username, lost);
    } catch (error) {
      socketOf(model).destroy();
      throw error;
    }
  }

  /** Does something over a channel of its own: the broker closes the channel of a request that it refuses. */
  apart<T>(work: (channel: Channel) => Promise<T>): Promise<T> {
    return overOwnChannel(this.#model, work);
  }

  /** Sends a message. Resolves when a queue has it; rejects when none has, or when that is not known. */
  send(exchange: string, key: string, content: Buffer, options: Options.Publish): Promise<void> {
    const publication = { exchange, key, content, options: { ...options, mandatory: true } };
    const sent = () =>
      new Promise<void>((resolve, reject) => {
        this.#confirmed.send(publication, (failure) => (failure === undefined ? resolve() : reject(failure)));
      });
    return withinTime(longestConfirm, sent);
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

/** Does something over a channel that is closed afterwards, by the broker when it refuses. */
export async function overOwnChannel<T>(model: ChannelModel, work: (channel: Channel) => Promise<T>): Promise<T> {
  const channel = await model.createChannel();
  channel.on('error', () => undefined);
  const result = await work(channel);
  await channel.close();
  return result;
}

/** A frame of a message: a content header has the properties and the size of what follows, others have bytes of it. */
interface MessageFrame {
  readonly size?: number;
  readonly content?: Uint8Array;
}

/** The part of a channel that assembles messages from their frames. */
interface Assembling {
  acceptMessageFrame(frame: MessageFrame): void;
}

/** Passes over bodies that are too large: something else takes their place, so that their messages can be settled. */
function passOverBodies(channel: Channel, most: number, exceeded: (error: Error) => void): void {
  const assembling = channel as unknown as Assembling;
  const accept = assembling.acceptMessageFrame.bind(channel);
  let header: MessageFrame | undefined;
  let left = 0;
  assembling.acceptMessageFrame = (frame) => {
    if (header === undefined) {
      if (frame.size === undefined || frame.size <= most) return accept(frame);
      header = frame;
      left = frame.size;
      return;
    }
    left -= frame.content?.length ?? Number.POSITIVE_INFINITY;
    if (left < 0) exceeded(tooLarge(most));
    if (left !== 0) return;
    const content = placeholder(header.size as number);
    accept({ ...header, size: content.length });
    header = undefined;
    accept({ content });
  };
}

function tooLarge(most: number): Error {
  return new Error(`the broker sent a message of more than ${most} bytes (max_message)`);
}

/** The library keeps a body until it has come to its end, however large its header says it is. */
export function limitBodies(channel: Channel, mostBytes: number, exceeded: (error: Error) => void): void {
  const assembling = channel as unknown as Assembling;
  const accept = assembling.acceptMessageFrame.bind(channel);
  assembling.acceptMessageFrame = (frame) => {
    if (frame.size === undefined || frame.size <= mostBytes) accept(frame);
    else exceeded(tooLarge(mostBytes));
  };
}

export function socketOf(model: ChannelModel): Socket {
  return (model as unknown as { readonly connection: { readonly stream: Socket } }).connection.stream;
}
