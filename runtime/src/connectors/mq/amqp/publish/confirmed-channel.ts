import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { Failure } from '../../../../errors/failure.ts';
import { textOf } from '../../../../net/connection.ts';

/** A message as it goes to the broker. */
export interface Publication {
  /** Empty: the default exchange, which takes the routing key for the name of a queue. */
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/** A message that was sent and is not confirmed. */
interface Sent {
  readonly publication: Publication;
  readonly isConfirmed: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (failure: Failure) => void;
  isReturned?: string;
}

/** A channel whose messages the broker confirms, any number of them in flight at the same time. */
export class ConfirmedChannel {
  readonly channel: ConfirmChannel;
  readonly #sent = new Set<Sent>();
  /** Those that come back when no queue takes them, by what the broker says of one that does. */
  readonly #returnable = new Map<string, Sent>();
  #reason = 'the connection was lost';
  #isClosed = false;

  private constructor(channel: ConfirmChannel) {
    this.channel = channel;
    channel.on('error', (error: unknown) => {
      this.#reason = textOf(error);
    });
    channel.on('close', () => {
      this.#isClosed = true;
    });
    channel.on('return', ({ fields, properties }) => {
      const { exchange, routingKey, replyText } = fields as unknown as Readonly<Record<string, string>>;
      const sent = this.#returnable.get(identityOf(exchange, routingKey, properties.messageId));
      if (sent !== undefined) sent.isReturned = replyText ?? 'NO_ROUTE';
    });
  }

  static async open(model: ChannelModel): Promise<ConfirmedChannel> {
    return new ConfirmedChannel(await model.createConfirmChannel());
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it was closed. */
  get reason(): string {
    return this.#reason;
  }

  /**
   * Sends a message; resolves when the broker has it. Rejects with `connector_failed` when the broker does not keep it, with
   * `connector_refused` when it was not sent, and with `outcome_unknown` when the channel is closed before the broker has
   * said anything.
   *
   * A message that comes back is recognised by exchange, key and id, so that of equal ones each waits for the one before it.
   */
  async send(publication: Publication): Promise<void> {
    const { exchange, key, options } = publication;
    const identity = options.mandatory === true ? identityOf(exchange, key, options.messageId) : undefined;
    if (identity !== undefined)
      for (let before = this.#returnable.get(identity); before !== undefined; before = this.#returnable.get(identity))
        await before.isConfirmed.catch(() => undefined);
    return this.#send(publication, identity);
  }

  #send(publication: Publication, identity: string | undefined): Promise<void> {
    const { exchange, key, content, options } = publication;
    const { promise: isConfirmed, resolve, reject } = Promise.withResolvers<void>();
    const sent: Sent = { publication, isConfirmed, resolve, reject };
    try {
      this.channel.publish(exchange, key, content, options, (error: unknown) => this.#settle(sent, identity, error));
    } catch (error) {
      const reason = this.#isClosed ? this.#reason : textOf(error);
      return Promise.reject(new Failure('connector_refused', `the message was not sent: ${reason}`, { cause: error }));
    }
    this.#sent.add(sent);
    if (identity !== undefined) this.#returnable.set(identity, sent);
    return isConfirmed;
  }

  #settle(sent: Sent, identity: string | undefined, error: unknown): void {
    const { exchange, key } = sent.publication;
    this.#sent.delete(sent);
    if (identity !== undefined) this.#returnable.delete(identity);
    if (!error && sent.isReturned === undefined) return sent.resolve();
    sent.reject(
      !error
        ? new Failure('connector_failed', `no queue takes messages of ${placeOf(exchange, key)} (${sent.isReturned})`)
        : /nacked/.test(textOf(error))
          ? new Failure('connector_failed', `the broker does not take the message to ${placeOf(exchange, key)}`)
          : this.#lost(exchange),
    );
  }

  /** The connection is gone: nothing is said of what is not confirmed any more. The library says so of some ends alone. */
  abandon(): void {
    for (const { publication, reject } of this.#sent) reject(this.#lost(publication.exchange));
  }

  /** What became of a message that was not confirmed when the channel was closed. */
  #lost(exchange: string): Failure {
    if (exchange !== '' && this.#reason.includes(`NOT_FOUND - no exchange '${exchange}'`))
      return new Failure('connector_failed', `exchange "${exchange}" does not exist`, { retriable: false });
    return new Failure('outcome_unknown', `the broker may or may not have the message: ${this.#reason}`);
  }
}

/** Where a message goes, for people. */
function placeOf(exchange: string, key: string): string {
  return exchange === '' ? `queue "${key}"` : `exchange "${exchange}" with the routing key "${key}"`;
}

function identityOf(exchange: unknown, key: unknown, id: unknown): string {
  return `${exchange}\n${key}\n${id ?? ''}`;
}
