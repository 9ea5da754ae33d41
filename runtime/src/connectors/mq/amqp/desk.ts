import type { GetMessage } from 'amqplib';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type {
  Change,
  Choose,
  DeskOptions,
  QueueDesk,
  QueuedMessage,
  QueueFigures,
  QueueSide,
  ReplayedMessage,
} from '../../../foundation/contracts/queue.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { closeGracefully, refusedBy, textOf } from '../../../platform/net/connection.ts';
import { readAccess } from '../../../platform/net/tls.ts';
import { codecNamed } from '../../intake/body.ts';
import { inputOf } from '../../intake/broker/broker-delivery.ts';
import {
  deadLetterName,
  deadLettersOf,
  errorHeader,
  replayHeader,
  replaysWith,
} from '../../intake/broker/dead-letters.ts';
import type { Said } from '../../intake/broker/honoured.ts';
import { LookedAt } from '../../intake/broker/looked-at.ts';
import { type Packed, packedLike } from '../../intake/broker/packed.ts';
import { topicPatterns } from '../../intake/dispatch/routes.ts';
import { addressOf } from './address.ts';
import { AmqpConnection } from './connection.ts';
import type { Consuming } from './consuming.ts';
import { copied, saidBy } from './copies.ts';
import { deathsHeader } from './deaths.ts';
import { AmqpMessage, exchangeHeader, keyHeader, plainTable } from './message.ts';
import type { AmqpConfig } from './spec.ts';

/** Looks at the messages of queues: the broker gives them, and has each back at its place. */
export class AmqpDesk implements QueueDesk {
  readonly patterns = topicPatterns;
  readonly #connection: AmqpConnection;
  readonly #consuming: Consuming;
  readonly #queues: readonly string[];
  readonly #mostBytes: number;

  private constructor(connection: AmqpConnection, consuming: Consuming, queues: readonly string[], mostBytes: number) {
    this.#connection = connection;
    this.#mostBytes = mostBytes;
    this.#consuming = consuming;
    this.#queues = queues;
  }

  static async open(
    name: string,
    config: AmqpConfig,
    consuming: Consuming,
    { operations }: DeskOptions,
    services: ConnectorServices,
  ): Promise<AmqpDesk> {
    if (consuming.queue?.type === 'stream')
      throw refusal(
        'a stream gives no message on demand: its messages stay, and a consumer reads them from where it says',
      );
    const address = addressOf(config);
    const { heartbeat, max_message: mostBytes, connection_name = name } = config;
    const connection = await AmqpConnection.open(address, {
      heartbeat,
      mostBytes,
      clientProperties: { product: services.userAgent, connection_name: `${connection_name} (queue)` },
      tls: await readAccess(address, config.tls, services),
      lost: () => undefined,
    }).catch((error: unknown) => {
      throw refusedBy(address.text, error);
    });
    const queues = consuming.name === undefined ? operations : [consuming.name];
    return new AmqpDesk(connection, consuming, queues, mostBytes);
  }

  async figures(): Promise<readonly QueueFigures[]> {
    const found: QueueFigures[] = [];
    const dead = this.#placesOf('dead');
    for (const { from, queue } of this.#placesOf('waiting')) {
      found.push(await this.#figuresOf(from, 'waiting'));
      for (const place of dead) if (place.queue === queue) found.push(await this.#figuresOf(place.from, 'dead'));
    }
    return found;
  }

  /** Over this protocol a broker does not say how many messages are not acknowledged, nor how many came and went. */
  async #figuresOf(source: string, side: QueueSide): Promise<QueueFigures> {
    try {
      const { messageCount: ready, consumerCount: consumers } = await this.#connection.apart((channel) =>
        channel.checkQueue(source),
      );
      return { source, side, ready, consumers };
    } catch (error) {
      if (isMissing(error)) return { source, side, isMissing: true };
      throw error;
    }
  }

  async peek(side: QueueSide, limit: number, choose: Choose): Promise<readonly QueuedMessage[]> {
    const looked = new LookedAt();
    for (const { from, queue } of this.#placesOf(side)) {
      await this.#existing(from);
      // What is not acknowledged when its channel ends is back at its place.
      await this.#connection.apart(async (channel) => {
        for (let number = 1; looked.all.length < limit; number++) {
          const message = await channel.get(from);
          if (message === false) break;
          const home = side === 'dead' ? (giverOf(message) ?? queue) : queue;
          const one = this.#queued(message, { from, number, queue: home });
          if (await choose(one)) looked.add(one);
        }
      });
    }
    return looked.all;
  }

  async replay(
    limit: number,
    choose: Choose,
    sent: (message: ReplayedMessage) => void,
    { content, to: written }: Change = {},
  ): Promise<void> {
    if (written !== undefined) await this.#existing(written);
    await this.#eachDead(limit, choose, async (message, { from, number, queue }) => {
      const to = written ?? queue;
      await this.#resend(to, message, content).catch((error: unknown) => {
        throw refusal(`dead letter ${number} of "${from}" cannot be sent back to "${to}": ${textOf(error)}`);
      });
      return () => sent({ ...this.#queued(message, { from, number, queue }), to });
    });
  }

  async discard(limit: number, choose: Choose, gone: (message: QueuedMessage) => void): Promise<void> {
    await this.#eachDead(limit, choose, async (message, place) => () => gone(this.#queued(message, place)));
  }

  /** Removes dead letters that are chosen, each after its work is done. The others are back at their places then. */
  async #eachDead(
    limit: number,
    choose: Choose,
    work: (message: GetMessage, place: Place) => Promise<() => void>,
  ): Promise<void> {
    let left = limit;
    for (const { from, queue: ofOne } of this.#placesOf('dead')) {
      const there = await this.#existing(from);
      const { channel } = this.#connection;
      // The last of those that go back to their places, all together: one at a time would be given again.
      let kept: GetMessage | undefined;
      try {
        for (let number = 1; number <= there && left > 0; number++) {
          const message = await channel.get(from);
          if (message === false) break;
          const last = kept;
          kept = message;
          const place = { from, number, queue: giverOf(message) ?? ofOne };
          if (!(await choose(this.#queued(message, place)))) continue;
          const done = await work(message, place);
          kept = last;
          channel.ack(message);
          left--;
          done();
        }
      } finally {
        if (kept !== undefined) channel.nack(kept, true);
      }
    }
  }

  close(): Promise<void> {
    return closeGracefully(this.#connection);
  }

  /** Where messages are, and the first of the queues that they are of: several may have one for their letters. */
  #placesOf(side: QueueSide): readonly Omit<Place, 'number'>[] {
    const { dlq } = this.#consuming.consumer;
    const found = new Map<string, string>();
    for (const queue of this.#queues) {
      const from = side === 'waiting' ? queue : (dlq?.queue ?? deadLetterName(queue));
      if (!found.has(from)) found.set(from, queue);
    }
    return [...found].map(([from, queue]) => ({ from, queue }));
  }

  /** Messages that are there. */
  async #existing(queue: string): Promise<number> {
    try {
      return (await this.#connection.apart((channel) => channel.checkQueue(queue))).messageCount;
    } catch (error) {
      if (isMissing(error)) throw refusal(`queue "${queue}" does not exist at the broker`);
      throw error;
    }
  }

  /** To its queue alone. */
  async #resend(queue: string, message: GetMessage, changed: Buffer | undefined): Promise<void> {
    const said = saidBy(message.properties, this.#connection.user);
    const options = this.#copiedBack(message, said);
    const content = changed === undefined ? message.content : await packedLike(packedOf(message), changed);
    await this.#connection.send('', queue, content, options);
  }

  #copiedBack(message: GetMessage, said: Said) {
    const headers = this.#headersAgain(message, said.headers);
    const copy = { staysInQueue: true, further: {} };
    return copied(message.properties, { ...said, headers }, copy, this.#connection.user);
  }

  /** With what its flow is chosen by, and without what counts its tries. */
  #headersAgain({ fields }: GetMessage, said: Said['headers']): Record<string, unknown> {
    const retryHeader = deadLettersOf(this.#consuming.consumer)?.retryHeader ?? '';
    const { [errorHeader]: _, [retryHeader]: __, [deathsHeader]: deaths, ...kept } = said;
    const [death] = (Array.isArray(deaths) ? deaths : []) as { exchange?: unknown; 'routing-keys'?: unknown[] }[];
    const origin = {
      [exchangeHeader]: typeof death?.exchange === 'string' ? death.exchange : '',
      [keyHeader]: String(death?.['routing-keys']?.[0] ?? fields.routingKey),
    };
    return { ...origin, ...kept, [replayHeader]: replaysWith(kept) };
  }

  #queued(message: GetMessage, { from, number, queue }: Place): QueuedMessage {
    const { fields, properties, content } = message;
    const said = saidBy(properties, this.#connection.user);
    return {
      source: from,
      position: String(number),
      key: fields.routingKey,
      headers: plainTable(said.headers),
      content,
      encoding: packedOf(message).encoding,
      again: (changed) => {
        const returned = {
          content,
          fields: { ...fields, exchange: '', routingKey: queue, redelivered: false },
          properties: { ...properties, ...this.#copiedBack(message, said) },
        };
        const taken = { queue, deadLetters: undefined, acknowledgesFirst: false, isStream: false };
        const again = new AmqpMessage(from === queue ? message : returned, this.#connection, taken);
        const input = async (format: string | undefined) => {
          const codec = await codecNamed(format);
          return changed === undefined ? inputOf(again, codec, this.#mostBytes) : again.input(codec, changed);
        };
        return { key: again.key, from: queue, input };
      },
    };
  }
}

function packedOf({ content, properties }: GetMessage): Packed {
  return { content, headers: properties.headers, encoding: properties.contentEncoding ?? undefined };
}

/** The queue that gave a letter up, by what was said of it last. */
function giverOf({ properties }: GetMessage): string | undefined {
  const deaths: unknown = properties.headers?.[deathsHeader];
  const [{ queue } = {}] = (Array.isArray(deaths) ? deaths : []) as { readonly queue?: unknown }[];
  return typeof queue === 'string' && queue !== '' ? queue : undefined;
}

/** Where a message is, its number there, and the queue that it came from. */
interface Place {
  readonly from: string;
  readonly number: number;
  readonly queue: string;
}

function isMissing(error: unknown): boolean {
  return /404|NOT_FOUND/.test(String(error));
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
