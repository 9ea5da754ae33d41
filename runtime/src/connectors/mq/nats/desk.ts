import { createHash } from 'node:crypto';
import type { MsgRequest, StoredMsg } from '@nats-io/jetstream';
import { Fields } from '@svc/protocol/cel';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type {
  Again,
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
import { bodyOf, codecNamed } from '../../intake/body.ts';
import { replayHeader, replaysWith } from '../../intake/broker/dead-letters.ts';
import { LookedAt } from '../../intake/broker/looked-at.ts';
import { packedLike, unpackedOf } from '../../intake/broker/packed.ts';
import type { NatsLink } from './connection.ts';
import { ownId, placeHeaders, store } from './dead-letters.ts';
import { consumerCounts, subjectCounts } from './figures.ts';
import { copiedHeaders, readHeaders } from './headers.ts';
import { mostOfAnyServer } from './message-limit.ts';
import type { Opening } from './opening.ts';
import { idHeader } from './publish/stream-parameters.ts';
import type { ConsumerConfig, NatsConfig } from './spec.ts';
import { subjectWildcards } from './subjects.ts';
import { deadLetterSubject } from './topology.ts';

/** Reads the messages of a stream that a consumer has not settled; the consumer does not notice. */
export class StreamDesk implements QueueDesk {
  readonly patterns = subjectWildcards;
  readonly #link: NatsLink;
  readonly #stream: string;
  readonly #consumer: ConsumerConfig;
  /** Of an unpacked body. */
  readonly #mostBytes: number;

  private constructor(link: NatsLink, stream: string, consumer: ConsumerConfig, mostBytes: number) {
    this.#mostBytes = mostBytes;
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
    const link = await opening
      .connect({ tls, signal, lost: () => undefined, most: mostOfAnyServer })
      .catch((error: unknown) => {
        throw refusedBy(server.text, error);
      });
    return new StreamDesk(link, consumer.stream, consumer, config.max_message);
  }

  async figures(): Promise<readonly QueueFigures[]> {
    const { durable = '' } = this.#consumer;
    const [stream, manager] = [this.#stream, await this.#link.manager()];
    const counts = await consumerCounts(manager, stream, durable).catch((error: unknown) => {
      throw refusal(`consumer "${durable}" of stream "${stream}": ${textOf(error)}`);
    });
    const waiting: QueueFigures = { source: stream, side: 'waiting', ...counts };
    const subject = deadLetterSubject(this.#consumer);
    if (subject === undefined) return [waiting];
    const keeping = await manager.streams.find(subject).catch(() => undefined);
    if (keeping === undefined) return [waiting, { source: subject, side: 'dead', isMissing: true }];
    return [waiting, { source: keeping, side: 'dead', ...(await subjectCounts(manager, keeping, subject)) }];
  }

  async peek(side: QueueSide, limit: number, choose: Choose): Promise<readonly QueuedMessage[]> {
    const place = side === 'waiting' ? await this.#waiting() : await this.#dead();
    const looked = new LookedAt();
    for await (const message of this.#messages(place)) {
      if (looked.all.length >= limit) break;
      const one = this.#queued(message, place.stream);
      if (await choose(one)) looked.add(one);
    }
    return looked.all;
  }

  async replay(
    limit: number,
    choose: Choose,
    sent: (message: ReplayedMessage) => void,
    change: Change = {},
  ): Promise<void> {
    await this.#eachDead(limit, choose, async (message, stream) => {
      const to = await this.#resend(message, stream, change);
      return () => sent({ ...this.#queued(message, stream), to });
    });
  }

  async discard(limit: number, choose: Choose, gone: (message: QueuedMessage) => void): Promise<void> {
    await this.#eachDead(limit, choose, async (message, stream) => () => gone(this.#queued(message, stream)));
  }

  /** Removes dead letters that are chosen, each after its work is done. */
  async #eachDead(
    limit: number,
    choose: Choose,
    work: (message: StoredMsg, stream: string) => Promise<() => void>,
  ): Promise<void> {
    const place = await this.#dead();
    const manager = await this.#link.manager();
    let left = limit;
    for await (const message of this.#messages(place)) {
      if (!(await choose(this.#queued(message, place.stream)))) continue;
      const done = await work(message, place.stream);
      const isRemoved = await manager.streams.deleteMessage(place.stream, message.seq).catch((error: unknown) => {
        if (/no message found/.test(textOf(error))) return false;
        throw error;
      });
      // Another replay was faster; what both have sent the stream has kept once.
      if (!isRemoved) continue;
      done();
      if (--left === 0) return;
    }
  }

  /** Resolves with the subject once its stream has the message. */
  async #resend(message: StoredMsg, stream: string, { content, to: written }: Change): Promise<string> {
    const { seq, data } = message;
    const { fields } = readHeaders(message);
    const to = written ?? originOf(fields);
    if (to === '') throw refusal(`message ${seq} of stream "${stream}" does not say where it is from`);
    const headers = copiedHeaders(this.#fieldsAgain(message), (await import('@nats-io/transport-node')).headers);
    // Under its own id it would be taken for a duplicate of what was sent first; what is edited is another message.
    const edited = content === undefined ? '' : `.${createHash('sha256').update(content).digest('base64url')}`;
    headers.set(idHeader, `replay.${stream}.${seq}.${message.time.getTime()}${edited}`);
    const packed = { content: data, headers: fields };
    const sent = content === undefined ? Buffer.from(data) : await packedLike(packed, content);
    try {
      await store(this.#link, to, sent, headers);
    } catch (error) {
      throw refusal(`message ${seq} of stream "${stream}" cannot be sent back to "${to}": ${textOf(error)}`);
    }
    return to;
  }

  /** Headers without where it is from, what counts its tries, and the id of the letter. */
  #fieldsAgain(message: StoredMsg): Record<string, unknown> {
    const own = [...Object.values(placeHeaders), this.#consumer.dlq?.retry_header, replayHeader];
    const before = readHeaders(message).fields;
    const isOwn = (name: string, value: unknown) =>
      own.includes(name.toLowerCase()) || (name === idHeader && String(value).startsWith(ownId));
    const kept = Object.entries(before).filter(([name, value]) => !isOwn(name, value));
    return Object.assign(new Fields(), Object.fromEntries(kept), { [replayHeader]: String(replaysWith(before)) });
  }

  #queued(message: StoredMsg, source: string): QueuedMessage {
    const { seq, subject, data } = message;
    const content = Buffer.from(data);
    const headers = readHeaders(message).fields;
    return {
      source,
      position: String(seq),
      key: subject,
      headers,
      content,
      again: (changed) => this.#again(message, changed),
    };
  }

  #again(message: StoredMsg, changed: Buffer | undefined): Again {
    const { fields, problem } = readHeaders(message);
    const origin = originOf(fields);
    const isDead = origin !== '';
    const key = isDead ? origin : message.subject;
    const headers = isDead ? this.#fieldsAgain(message) : fields;
    const timestamp = Math.floor(message.time.getTime() / 1000);
    const place = { stream: this.#stream, sequence: message.seq, deliveries: 1, timestamp };
    const input = (body: unknown) => Object.assign(new Fields(), { body, subject: key, headers }, place);
    return {
      key,
      from: this.#stream,
      input: async (format) => {
        if (problem !== undefined) throw new Failure('body_undecodable', problem);
        const body = changed ?? (await unpackedOf({ content: message.data, headers }, this.#mostBytes));
        return input(await bodyOf(body, await codecNamed(format)));
      },
    };
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

/** The subject that a dead letter says that it is from; empty where it says none. */
function originOf(fields: Readonly<Record<string, unknown>>): string {
  const origin = fields[placeHeaders.subject];
  return typeof origin === 'string' ? origin : '';
}

/** A part of a stream. */
interface Place {
  readonly stream: string;
  readonly subjects: readonly string[];
  readonly from: number;
  readonly last: number;
}

/** The declarations of the library do not know that a server takes both. */
function nextOf(subject: string, seq: number): MsgRequest {
  return { seq, next_by_subj: subject } as MsgRequest;
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
