import type { ChannelModel, ConfirmChannel, Options } from 'amqplib';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { textOf } from '../../../../platform/net/connection.ts';
import { type Listed, Roster, unlisted } from '../../../intake/roster.ts';
import { expirationRefused, losesExpiring, propertiesOf } from '../other-brokers.ts';

/** A message as it goes to the broker. */
export interface Publication {
  /** Empty: the default exchange, which takes the routing key for the name of a queue. */
  readonly exchange: string;
  readonly key: string;
  readonly content: Buffer;
  readonly options: Options.Publish;
}

/** Hears what became of a message: that the broker has it, or why not. */
export type Done = (failure: Failure | undefined) => void;

/** A message that was sent and is not confirmed. */
interface Sent extends Listed {
  readonly publication: Publication;
  readonly done: Done;
  /** As the broker names it when it comes back; undefined where it does not. */
  readonly identity: string | undefined;
  /** What the broker says of a message that no queue takes. */
  returned: string | undefined;
  /** Those that it could not be distinguished from: they are sent when it is over. */
  followers: (() => void)[] | undefined;
}

/** A channel whose messages the broker confirms, any number of them in flight at the same time. */
export class ConfirmedChannel {
  readonly channel: ConfirmChannel;
  /** The broker confirms messages with `expiration` and loses them: they are not sent. */
  readonly losesExpiring: boolean;
  readonly #sent = new Roster<Sent>();
  /** Those that come back when no queue takes them, by what the broker says of one that does. */
  readonly #returnable = new Map<string, Sent>();
  #reason = 'the connection was lost';
  #isClosed = false;

  private constructor(channel: ConfirmChannel, isLosing: boolean) {
    this.channel = channel;
    this.losesExpiring = isLosing;
    channel.on('error', (error: unknown) => {
      this.#reason = textOf(error);
    });
    channel.on('close', () => {
      this.#isClosed = true;
    });
    channel.on('return', ({ fields, properties }) => {
      const { exchange, routingKey, replyText } = fields as unknown as Readonly<Record<string, string>>;
      const sent = this.#returnable.get(identityOf(exchange, routingKey, properties.messageId));
      if (sent !== undefined) sent.returned = replyText ?? 'NO_ROUTE';
    });
  }

  static async open(model: ChannelModel): Promise<ConfirmedChannel> {
    return new ConfirmedChannel(await model.createConfirmChannel(), losesExpiring(propertiesOf(model)));
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Why it was closed. */
  get reason(): string {
    return this.#reason;
  }

  /**
   * Sends a message, and calls `done` once: without a failure when the broker has it. Of the failures `connector_failed` says
   * that the broker does not keep it, `connector_refused` that it was not sent, and `outcome_unknown` that the channel was
   * closed before the broker has said anything.
   *
   * A message that comes back is recognised by exchange, key and id, so that of equal ones each waits for the one before it.
   */
  send(publication: Publication, done: Done): void {
    const { exchange, key, options } = publication;
    if (this.losesExpiring && options.expiration !== undefined)
      return done(new Failure('connector_failed', expirationRefused, { retriable: false }));
    const identity = options.mandatory === true ? identityOf(exchange, key, options.messageId) : undefined;
    const before = identity === undefined ? undefined : this.#returnable.get(identity);
    if (before === undefined) return this.#send(publication, done, identity);
    before.followers ??= [];
    before.followers.push(() => this.send(publication, done));
  }

  #send(publication: Publication, done: Done, identity: string | undefined): void {
    const { exchange, key, content, options } = publication;
    const sent: Sent = { place: unlisted, publication, done, identity, returned: undefined, followers: undefined };
    if (this.#isClosed) return done(this.#unsent(undefined));
    try {
      this.channel.publish(exchange, key, content, options, (error: unknown) => this.#settle(sent, error));
    } catch (error) {
      return done(this.#unsent(error));
    }
    this.#sent.add(sent);
    if (identity !== undefined) this.#returnable.set(identity, sent);
  }

  #settle(sent: Sent, error: unknown): void {
    const { exchange, key } = sent.publication;
    if (!error && sent.returned === undefined) return this.#end(sent, undefined);
    this.#end(
      sent,
      !error
        ? new Failure('connector_failed', `no queue takes messages of ${placeOf(exchange, key)} (${sent.returned})`)
        : /nacked/.test(textOf(error))
          ? new Failure('connector_failed', `the broker does not take the message to ${placeOf(exchange, key)}`)
          : this.#lost(exchange),
    );
  }

  #end(sent: Sent, failure: Failure | undefined): void {
    if (!this.#sent.delete(sent)) return;
    const { identity, followers, done } = sent;
    if (identity !== undefined) this.#returnable.delete(identity);
    done(failure);
    if (followers !== undefined) for (const follow of followers) follow();
  }

  /** The connection is gone: nothing is said of what is not confirmed any more. The library says so of some ends alone. */
  abandon(): void {
    this.#isClosed = true;
    for (const sent of this.#sent.all()) this.#end(sent, this.#lost(sent.publication.exchange));
  }

  #unsent(error: unknown): Failure {
    const reason = this.#isClosed ? this.#reason : textOf(error);
    return new Failure('connector_refused', `the message was not sent: ${reason}`, { cause: error });
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
