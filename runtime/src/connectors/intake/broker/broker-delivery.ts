import type { Codec } from '../../../platform/formats/registry.ts';
import { contentOf, identityOf } from '../body.ts';
import type { Delivery, MessageContent, Retry, Settlement } from '../driver.ts';
import { type DeadLetters, delayName, retryHeaders, standardRetryHeader, triesIn } from './dead-letters.ts';
import { encodingOf, unpacked } from './packed.ts';
import { bytesPassedOver, tooLarge } from './passed-over.ts';

/** One message as a broker delivered it. */
export interface BrokerMessage {
  /** What operations of flows are matched against, unless they name sources: a routing key, a topic. */
  readonly key: string;
  /** As of `Delivery`. */
  readonly cameBy?: string | undefined;
  /** What the sender calls it; anything but a text is not an id. */
  readonly id?: unknown;
  /** Messages of one order are handled one after another: a partition. */
  readonly order?: string | undefined;
  /** The bytes, or a `placeholder` for those that were passed over, since they are too many. */
  readonly content: Buffer;
  readonly headers?: Readonly<Record<string, unknown>> | undefined;
  /** How the content is packed, where the protocol has a place for that beside headers (`content-encoding`). */
  readonly encoding?: unknown;
  /** Where it was first sent to, by the headers that keep that when it is sent again. Absent: `key` says it. */
  readonly origin?: Readonly<Record<string, string>>;
  /** Its origin is its place at the broker, which no other message has, whatever its sender calls it. */
  readonly isPlaced?: boolean;
  /** Failed tries that the broker itself counts. */
  readonly tries?: number;
  /** As of `Delivery`. */
  readonly returnable: boolean;
  readonly keepsPlace?: boolean;
  readonly atMostOnce?: boolean;
  /**
   * The variables of a flow; `codec` is that of `from.format`, `content` the unpacked body. Throws or rejects with a Failure
   * for a body that cannot be decoded.
   */
  input(codec: Codec | undefined, content: Buffer): Record<string, unknown> | Promise<Record<string, unknown>>;
  settle(settlement: Settlement): Promise<void> | void;
  /** As of `Delivery`. */
  readonly bury?: ((reason: string) => Promise<void>) | undefined;
  /**
   * Sends the same bytes to a source, to be delivered behind the others, with these headers beside its own. Resolves when
   * the broker has confirmed that it has them. Absent: the broker takes no messages back.
   */
  readonly resend?: ((source: string, headers: Readonly<Record<string, string | number>>) => Promise<void>) | undefined;
  /** Gives it back, to be delivered again after these milliseconds: the broker counts its tries itself. */
  postpone?(pause: number): void;
}

/** Where a message was taken from. */
export interface DeliverySource {
  readonly name: string;
  /** Whether operations of flows name sources: they are matched against the source of a message, not against its key. */
  readonly isKey: boolean;
  readonly deadLetters: DeadLetters | undefined;
  /** Bytes that a body may unpack to. */
  readonly mostBytes: number;
}

/** The variables of a flow for a message. */
export function inputOf(
  message: Pick<BrokerMessage, 'content' | 'headers' | 'encoding' | 'input'>,
  codec: Codec | undefined,
  mostBytes: number,
): Record<string, unknown> | Promise<Record<string, unknown>> {
  const over = bytesPassedOver(message.content);
  if (over !== undefined) throw tooLarge(over, mostBytes);
  const encoding = encodingOf(message);
  if (encoding === undefined) return message.input(codec, message.content);
  return unpacked(message.content, encoding, mostBytes).then((content) => message.input(codec, content));
}

/** A message of a broker as the intake knows it. One that failed is sent again with headers that count its tries. */
export class BrokerDelivery implements Delivery {
  readonly key: string;
  readonly id: string | undefined;
  readonly cameBy: string | undefined;
  readonly order: string | undefined;
  readonly atMostOnce: boolean | undefined;
  readonly keepsPlace: boolean | undefined;
  readonly #message: BrokerMessage;
  readonly #source: DeliverySource;

  constructor(message: BrokerMessage, source: DeliverySource) {
    const { id } = message;
    this.key = source.isKey ? source.name : message.key;
    this.id = typeof id === 'string' && id !== '' ? id : undefined;
    this.cameBy = message.cameBy;
    this.order = message.order;
    this.atMostOnce = message.atMostOnce;
    this.keepsPlace = message.keepsPlace;
    this.#message = message;
    this.#source = source;
  }

  get postpone(): ((retry: Retry) => Promise<void>) | undefined {
    const message = this.#message;
    if (message.postpone) return async ({ after }) => message.postpone?.(this.#source.deadLetters?.retryDelay ?? after);
    return message.resend && ((retry) => this.#postpone(retry));
  }

  get bury(): ((reason: string) => Promise<void>) | undefined {
    return this.#message.bury;
  }

  get returnable(): boolean {
    return this.#message.returnable;
  }

  identity(): string {
    const { key, origin, content, isPlaced } = this.#message;
    const place = origin === undefined ? [key] : Object.values(origin);
    return isPlaced === true ? place.join('\n') : identityOf(this.id, place, content);
  }

  /** What a service counted in a header, or what the broker counts by itself. */
  get tries(): number {
    const { headers = {}, tries = 0 } = this.#message;
    const { retryHeader = standardRetryHeader } = this.#source.deadLetters ?? {};
    return Math.max(triesIn(headers[retryHeader]), tries);
  }

  message(codec: Codec | undefined): MessageContent | Promise<MessageContent> {
    const { headers } = this.#message;
    const input = inputOf(this.#message, codec, this.#source.mostBytes);
    return input instanceof Promise ? input.then((ready) => contentOf(ready, headers)) : contentOf(input, headers);
  }

  settle(settlement: Settlement): Promise<void> | void {
    return this.#message.settle(settlement);
  }

  /** The original is acknowledged after the broker has confirmed the copy. */
  async #postpone(retry: Retry): Promise<void> {
    const { name, deadLetters } = this.#source;
    const delay = deadLetters?.retryDelay;
    const headers = retryHeaders(deadLetters, retry, this.#message.origin);
    await this.#message.resend?.(delay === undefined ? name : delayName(name, delay), headers);
    await this.#message.settle({ kind: 'ack' });
  }
}
