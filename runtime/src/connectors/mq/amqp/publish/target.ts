import type { ConsumeMessage, GetMessage } from 'amqplib';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../../foundation/contracts/target.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import type { Clock } from '../../../../foundation/observe/clock.ts';
import { type Codec, codecOf, type FormatName } from '../../../../platform/formats/registry.ts';
import { ofAnswer } from '../../../../platform/net/decompress.ts';
import { bodyOf } from '../../../intake/body.ts';
import { unpackedOf } from '../../../intake/broker/packed.ts';
import { type Command, commandOf } from './commands.ts';
import { Composition, type Defaults, paramsOf } from './composition.ts';
import type { Publication } from './confirmed-channel.ts';
import type { CallBounds, Publisher } from './publisher.ts';

/** What the connector says of every call. */
export interface PublishingConfig extends Omit<Defaults, 'envelope'> {
  readonly confirms: boolean;
  /** Milliseconds of a call that says nothing else. */
  readonly timeout: number;
  /** Queue of calls that take a message without naming one. */
  readonly queue: string | undefined;
}

/** What an `operation` block says. */
interface Named {
  readonly exchange?: string;
  readonly routing_key?: string;
  readonly queue?: string;
}

/** What a place says of the messages that it sends. */
interface Words {
  readonly format?: FormatName;
  readonly envelope?: string;
}

type Compose = (request: CallRequest) => Publication | Promise<Publication>;

/** Messages to and from queues, as flows ask for them. */
export class QueueTarget implements Target {
  readonly #publisher: Publisher;
  readonly #config: PublishingConfig;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #used: () => void;

  /** `used` is called when the first place of a configuration is prepared. */
  constructor(publisher: Publisher, config: PublishingConfig, clock: Pick<Clock, 'now'>, used: () => void) {
    this.#publisher = publisher;
    this.#config = config;
    this.#clock = clock;
    this.#used = used;
  }

  prepare(call: CallDescription): Execute {
    this.#used();
    const command = commandOf(call.verb, call.operation);
    const limit = call.timeout ?? this.#config.timeout;
    return this.#executes[command](call, limit);
  }

  readonly #executes: Readonly<Record<Command, (call: CallDescription, limit: number) => Execute>> = {
    publish: (call, limit) => this.#publish(call, limit),
    request: (call, limit) => this.#request(call, limit),
    get: (call, limit) => this.#get(call, limit),
  };

  #publish(call: CallDescription, limit: number): Execute {
    const { confirms } = this.#config;
    const compose = this.#composing(call);
    return async (request) => {
      const composed = compose(request);
      const publication = composed instanceof Promise ? await composed : composed;
      await this.#publisher.publish(publication, confirms, { limit, signal: request.signal });
      const { exchange, key, options } = publication;
      return { value: { message_id: options.messageId, exchange, routing_key: key }, affected: 1 };
    };
  }

  #request(call: CallDescription, limit: number): Execute {
    const compose = this.#composing(call);
    return async (request) => {
      const publication = await compose(request);
      // No one waits for the answer of a request that is taken later.
      const expiration = publication.options.expiration ?? String(Math.ceil(limit));
      const options = { ...publication.options, expiration };
      const bounds: CallBounds = { limit, signal: request.signal };
      const answer = await this.#publisher.request({ ...publication, options }, bounds);
      return { value: await bodyOf(await this.#contentOf(answer), undefined) };
    };
  }

  #get(call: CallDescription, limit: number): Execute {
    const { queue: named } = (call.named ?? {}) as Named;
    return async (request): Promise<CallResult> => {
      const queue = request.target ?? call.target ?? paramsOf(request)['queue'] ?? named ?? this.#config.queue;
      if (typeof queue !== 'string' || queue === '')
        throw new Failure('filter_missing', `flow "${call.flow}" (${call.label}): nothing says which queue is read`);
      const taken = await this.#publisher.take(queue, { limit, signal: request.signal });
      if (taken === undefined) return { rows: [] };
      const body = await bodyOf(await this.#contentOf(taken), undefined);
      const isRow = typeof body === 'object' && body !== null && !Array.isArray(body) && !(body instanceof Uint8Array);
      return { rows: [isRow ? (body as Readonly<Record<string, unknown>>) : { raw: body }] };
    };
  }

  #contentOf({ content, properties }: GetMessage | ConsumeMessage): Promise<Buffer> {
    const { headers, contentEncoding: encoding } = properties;
    return unpackedOf({ content, headers, encoding: encoding ?? undefined }, this.#config.mostBytes, ofAnswer);
  }

  /** Prepares what makes publications of messages. */
  #composing(call: CallDescription): Compose {
    const { exchange, routing_key, queue } = (call.named ?? {}) as Named;
    const { format = 'json', envelope } = (call.words ?? {}) as Words;
    const defaults: Defaults = {
      ...this.#config,
      exchange: queue === undefined ? (exchange ?? this.#config.exchange) : '',
      routingKey: queue ?? routing_key ?? this.#config.routingKey,
      envelope,
    };
    const composition = new Composition(call, defaults, this.#clock);
    let codec: Codec | Promise<Codec> = codecOf(format);
    if (codec instanceof Promise) {
      codec.then(
        (loaded) => (codec = loaded),
        () => undefined,
      );
    }
    return (request) => {
      const loaded = codec;
      return loaded instanceof Promise
        ? loaded.then((ready) => composition.of(request, ready))
        : composition.of(request, loaded);
    };
  }
}
