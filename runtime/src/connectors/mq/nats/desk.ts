import type { MsgRequest, StoredMsg } from '@nats-io/jetstream';
import type { ConnectorServices } from '../../../contracts/connector.ts';
import type { DeskOptions, QueueDesk, QueuedMessage, QueueSide, ReplayedMessage } from '../../../contracts/queue.ts';
import { Failure } from '../../../errors/failure.ts';
import { closeGracefully, refusedBy, textOf } from '../../../net/connection.ts';
import { readAccess } from '../../../net/tls.ts';
import type { ConsumerConfig, NatsConfig } from './address.ts';
import type { NatsLink } from './connection.ts';
import { placeHeaders, stored } from './dead-letters.ts';
import { fieldsOf } from './headers.ts';
import { transport } from './library.ts';
import type { Opening } from './opening.ts';
import { deadLetterSubject } from './topology.ts';

/** Reads the messages of a stream that a consumer has not settled; the consumer does not notice. */
export class StreamDesk implements QueueDesk {
  readonly #link: NatsLink;
  readonly #stream: string;
  readonly #consumer: ConsumerConfig;

  private constructor(link: NatsLink, stream: string, consumer: ConsumerConfig) {
    this.#link = link;
    this.#stream = stream;
    this.#consumer = consumer;
  }

  static async open(
    config: NatsConfig,
    consumer: ConsumerConfig & { readonly stream: string },
    opening: Opening,
    { signal }: DeskOptions,
    services: ConnectorServices,
  ): Promise<StreamDesk> {
    const { server } = opening;
    const tls = await readAccess(server, config.tls, services);
    const link = await opening.connect({ tls, signal, lost: () => undefined }).catch((error: unknown) => {
      throw refusedBy(server.text, error);
    });
    return new StreamDesk(link, consumer.stream, consumer);
  }

  async peek(side: QueueSide, limit: number): Promise<readonly QueuedMessage[]> {
    const place = side === 'waiting' ? await this.#waiting() : await this.#dead();
    const found: QueuedMessage[] = [];
    for await (const message of this.#messages(place)) {
      if (found.length >= limit) break;
      found.push(queued(message, place.stream));
    }
    return found;
  }

  async replay(limit: number, sent: (message: ReplayedMessage) => void): Promise<void> {
    const place = await this.#dead();
    const manager = await this.#link.manager();
    let left = limit;
    for await (const message of this.#messages(place)) {
      if (left-- <= 0) return;
      const { seq, data } = message;
      const to = message.header.get(placeHeaders.subject);
      if (to === '') throw refusal(`message ${seq} of stream "${place.stream}" does not say where it is from`);
      const headers = (await transport()).headers();
      const own: readonly string[] = [...Object.values(placeHeaders), this.#consumer.dlq?.retry_header ?? ''];
      for (const [name, values] of message.header)
        if (!own.includes(name.toLowerCase()) && name !== idHeader)
          for (const value of values) headers.append(name, value);
      // Under its own id it would be taken for a duplicate of what was sent first.
      headers.set(idHeader, `replay.${place.stream}.${seq}`);
      try {
        await stored(this.#link, to, Buffer.from(data), headers);
      } catch (error) {
        throw refusal(`message ${seq} of stream "${place.stream}" cannot be sent back to "${to}": ${textOf(error)}`);
      }
      await manager.streams.deleteMessage(place.stream, seq);
      sent({ ...queued(message, place.stream), to });
    }
  }

  close(): Promise<void> {
    return closeGracefully(this.#link);
  }

  /** From the first message that the consumer has not settled. */
  async #waiting(): Promise<Place> {
    const { durable = '' } = this.#consumer;
    const stream = this.#stream;
    const manager = await this.#link.manager();
    try {
      const { ack_floor, config } = await manager.consumers.info(stream, durable);
      const subjects = config.filter_subjects ?? [config.filter_subject ?? '>'];
      const { state } = await manager.streams.info(stream);
      return { stream, subjects, from: ack_floor.stream_seq + 1, last: state.last_seq };
    } catch (error) {
      throw refusal(`consumer "${durable}" of stream "${stream}": ${textOf(error)}`);
    }
  }

  async #dead(): Promise<Place> {
    const subject = deadLetterSubject(this.#consumer);
    if (subject === undefined) throw refusal('the connector arranges no dead letters: its consumer has no dlq block');
    const manager = await this.#link.manager();
    const stream = await manager.streams.find(subject).catch(() => undefined);
    if (stream === undefined) throw refusal(`no stream keeps the subject "${subject}" of dead letters`);
    const { state } = await manager.streams.info(stream);
    return { stream, subjects: [subject], from: 1, last: state.last_seq };
  }

  async *#messages({ stream, subjects, from, last }: Place): AsyncGenerator<StoredMsg> {
    const { streams } = await this.#link.manager();
    for (let seq = from; seq <= last; ) {
      const next = await Promise.all(subjects.map((subject) => streams.getMessage(stream, nextOf(subject, seq))));
      const [first] = next.filter((message) => message !== null).sort((one, other) => one.seq - other.seq);
      if (first === undefined || first.seq > last) return;
      yield first;
      seq = first.seq + 1;
    }
  }
}

/** A part of a stream. */
interface Place {
  readonly stream: string;
  readonly subjects: readonly string[];
  readonly from: number;
  readonly last: number;
}

/** By which a server recognises a message that is published again. */
const idHeader = 'Nats-Msg-Id';

/** The declarations of the library do not know that a server takes both. */
function nextOf(subject: string, seq: number): MsgRequest {
  return { seq, next_by_subj: subject } as MsgRequest;
}

function queued({ seq, subject, header, data }: StoredMsg, source: string): QueuedMessage {
  return { source, position: String(seq), key: subject, headers: fieldsOf(header), content: Buffer.from(data) };
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
