import { Fields } from '@svc/protocol/cel';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type {
  Again,
  Change,
  Choose,
  QueueDesk,
  QueuedMessage,
  QueueFigures,
  QueueSide,
  ReplayedMessage,
} from '../../../foundation/contracts/queue.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { readAccess } from '../../../platform/net/tls.ts';
import { bodyOf, codecNamed } from '../../intake/body.ts';
import { deadLetterName, errorHeader, replayHeader, replaysWith } from '../../intake/broker/dead-letters.ts';
import { LookedAt } from '../../intake/broker/looked-at.ts';
import { packedLike, unpackedOf } from '../../intake/broker/packed.ts';
import { brokersOf } from './brokers.ts';
import { LogClient } from './client.ts';
import { copiedHeaders, saidBy } from './copies.ts';
import { failureOf, typeOf } from './failure.ts';
import type { GroupClient } from './group/client.ts';
import { DoneLetters } from './group/done-letters.ts';
import { countsOf, membersOf } from './group/figures.ts';
import { type KeptPart, type KeptRecord, keptRecords, partsOf } from './group/kept-records.ts';
import { startPositionOf } from './group/start-position.ts';
import { batchHeader, originHeaders } from './headers.ts';
import { readKey, shownKey } from './keys/codec.ts';
import type { FetchedRecord } from './library.ts';
import { plainHeaders } from './message.ts';
import { type Idempotence, idempotenceOf } from './publish/identity.ts';
import { Sender } from './publish/sender.ts';
import type { LogConfig } from './spec.ts';
import { topicNames } from './topics.ts';

type ConsumerConfig = NonNullable<LogConfig['consumer']>;

/** Milliseconds in which a broker answers. */
const longestAnswer = 15_000;

/** Looks at what a group has not committed, without joining it. What was replayed is committed by a group of its own. */
export class LogDesk implements QueueDesk {
  readonly patterns = topicNames;
  readonly #client: LogClient;
  readonly #consumer: ConsumerConfig;
  readonly #group: GroupClient;
  readonly #hasSchemas: boolean;
  readonly #mostBytes: number;
  readonly #idempotence: Idempotence;

  private constructor(client: LogClient, consumer: ConsumerConfig, config: LogConfig) {
    this.#hasSchemas = config.schema_registry !== undefined;
    this.#mostBytes = config.max_response;
    this.#idempotence = idempotenceOf(config);
    this.#client = client;
    this.#consumer = consumer;
    this.#group = client.group(consumer.group_id);
  }

  static async open(
    name: string,
    config: LogConfig,
    consumer: ConsumerConfig,
    services: ConnectorServices,
  ): Promise<LogDesk> {
    const { client_id = name, sasl, max_response, metadata_max_age } = config;
    const server = brokersOf(config);
    const client = await LogClient.make({
      addresses: server.addresses,
      clientId: `${client_id}-queue`,
      sasl,
      tls: await readAccess(server, config.tls, services),
      mostBytes: max_response,
      timeout: longestAnswer,
      metadataMaxAge: metadata_max_age,
      log: services.log,
    });
    const desk = new LogDesk(client, consumer, config);
    try {
      await desk.#group.cluster.connect();
    } catch (error) {
      client.end('it cannot be used');
      throw failureOf(error);
    }
    return desk;
  }

  async figures(): Promise<readonly QueueFigures[]> {
    const { topics, group_id } = this.#consumer;
    const consumers = await membersOf(this.#group, group_id);
    const found: QueueFigures[] = [];
    for (const topic of topics) {
      await this.#known(topic);
      const counts = countsOf(await this.#parts('waiting', topic));
      found.push({ source: topic, side: 'waiting', ...counts, ...(consumers !== undefined && { consumers }) });
    }
    for (const topic of this.#deadLetterTopics) {
      const place = { source: topic, side: 'dead' } as const;
      if (await this.#exists(topic)) found.push({ ...place, ...countsOf(await this.#parts('dead', topic)) });
      else found.push({ ...place, isMissing: true });
    }
    return found;
  }

  async peek(side: QueueSide, limit: number, choose: Choose): Promise<readonly QueuedMessage[]> {
    const looked = new LookedAt();
    for await (const one of this.#messages(side)) {
      const message = this.#queued(one);
      if (!(await choose(message))) continue;
      looked.add(message);
      if (looked.all.length >= limit) break;
    }
    return looked.all;
  }

  async replay(
    limit: number,
    choose: Choose,
    sent: (message: ReplayedMessage) => void,
    { content, to }: Change = {},
  ): Promise<void> {
    if (to !== undefined) await this.#known(to);
    const producer = await this.#client.producer(this.#idempotence);
    await producer.connect();
    const sender = new Sender(producer, new AbortController().signal);
    const batches: string[] = [];
    const chooseMessages: Choose = async (message) => {
      if (!(await choose(message))) return false;
      const isBatch = message.headers[batchHeader] !== undefined;
      if (isBatch) batches.push(`${message.position} of "${message.source}"`);
      return !isBatch;
    };
    try {
      await this.#eachDead(limit, chooseMessages, async ({ record }, message) => {
        const target = to ?? this.#originOf(message);
        const said = saidBy(record);
        const headers = copiedHeaders({ ...said, headers: keptHeaders(said.headers) });
        headers[replayHeader] = String(replaysWith(message.headers));
        const { key, value } = record;
        const changed = content && (await packedLike(message, content));
        try {
          await sender.send(target, { key, value: changed ?? value, headers });
        } catch (error) {
          const where = `${message.position} of "${message.source}"`;
          throw refusal(`${where} cannot be sent back to "${target}": ${failureOf(error).message}`);
        }
        return () => sent({ ...message, to: target });
      });
    } finally {
      await producer.disconnect();
    }
    if (batches.length > 0)
      throw refusal(
        `${batches.join(', ')} cannot be sent back: it is not a message, but a batch that could not be read; what was written is where its headers ${originHeaders.join(', ')} say, as long as the topic keeps it`,
      );
  }

  /** A log removes nothing: what is discarded is passed over. */
  async discard(limit: number, choose: Choose, gone: (message: QueuedMessage) => void): Promise<void> {
    await this.#eachDead(limit, choose, async (_, message) => () => gone(message));
  }

  /** Passes dead letters over that are chosen, each after its work is done. */
  async #eachDead(
    limit: number,
    choose: Choose,
    work: (one: KeptRecord, message: QueuedMessage) => Promise<() => void>,
  ): Promise<void> {
    for (const topic of this.#deadLetterTopics) await this.#known(topic);
    const done = await DoneLetters.begin(this.#group, this.#replayGroup, this.#deadLetterTopics);
    try {
      await this.#eachOf(done, limit, choose, work);
    } finally {
      await done.end();
    }
  }

  async #eachOf(
    done: DoneLetters,
    limit: number,
    choose: Choose,
    work: (one: KeptRecord, message: QueuedMessage) => Promise<() => void>,
  ): Promise<void> {
    let left = limit;
    for await (const one of this.#messages('dead')) {
      const message = this.#queued(one);
      if (!(await choose(message))) {
        done.leave(one);
        continue;
      }
      const next = await done.with(one);
      // Another replay has done it meanwhile.
      if (next === undefined) continue;
      const report = await work(one, message);
      await done.commit(one, next);
      report();
      if (--left === 0) return;
    }
  }

  async close(): Promise<void> {
    await this.#group.cluster.disconnect().catch(() => undefined);
    this.#client.end('it is closed');
  }

  get #replayGroup(): string {
    return `${this.#consumer.group_id}.replay`;
  }

  get #deadLetterTopics(): readonly string[] {
    const { topics, dlq } = this.#consumer;
    return [...new Set(topics.map((topic) => dlq?.topic ?? deadLetterName(topic)))];
  }

  /** In the order in which they were written, of each partition in its own. */
  async *#messages(side: QueueSide): AsyncGenerator<KeptRecord> {
    const parts: KeptPart[] = [];
    for (const topic of side === 'waiting' ? new Set(this.#consumer.topics) : this.#deadLetterTopics) {
      await this.#known(topic);
      parts.push(...(await this.#parts(side, topic)));
    }
    yield* keptRecords(this.#group, parts);
  }

  #parts(side: QueueSide, topic: string): Promise<readonly KeptPart[]> {
    const { group_id, offset } = this.#consumer;
    return side === 'waiting'
      ? partsOf(this.#group, group_id, topic, startPositionOf(offset))
      : partsOf(this.#group, this.#replayGroup, topic, { kind: 'earliest' });
  }

  async #known(topic: string): Promise<void> {
    if (!(await this.#exists(topic))) throw refusal(`topic "${topic}" does not exist at the brokers`);
  }

  async #exists(topic: string): Promise<boolean> {
    try {
      await this.#group.cluster.addMultipleTargetTopics([topic]);
      return true;
    } catch (error) {
      if (typeOf(error) !== 'UNKNOWN_TOPIC_OR_PARTITION') throw failureOf(error);
      return false;
    }
  }

  #queued({ topic, partition, record }: KeptRecord): QueuedMessage {
    const { key, value, offset } = record;
    const message = {
      source: topic,
      position: `${partition}/${offset}`,
      key: shownKey(key, this.#consumer.key_format),
      headers: plainHeaders(saidBy(record).headers),
      content: value ?? Buffer.alloc(0),
    };
    return { ...message, again: (content) => this.#again(message, record, partition, content) };
  }

  #again(
    message: Omit<QueuedMessage, 'again'>,
    record: FetchedRecord,
    partition: number,
    changed: Buffer | undefined,
  ): Again {
    const { key, value, offset } = record;
    const isBatch = message.headers[batchHeader] !== undefined;
    const problem = record.problem ?? (isBatch ? String(message.headers[errorHeader]) : undefined);
    const isDead = !this.#consumer.topics.includes(message.source);
    const topic = isDead ? this.#originOf(message) : message.source;
    const headers = isDead ? this.#headersAgain(message) : message.headers;
    const time = Math.floor(Number(saidBy(record).properties['timestamp']) / 1000);
    const rest = { headers, topic, partition, offset: Number(offset), timestamp: time };
    const input = (body: unknown) => {
      const read = readKey(key, this.#consumer.key_format);
      return Object.assign(new Fields(), { body }, rest, { key: read });
    };
    return {
      key: topic,
      from: topic,
      input: async (format) => {
        if (problem !== undefined) throw refusal(problem);
        const codec = await codecNamed(format);
        if (this.#hasSchemas && codec === undefined)
          throw refusal('its body is read by a schema of a registry, which is not asked here');
        if (changed === undefined && value === null) return input(null);
        const body = changed ?? (await unpackedOf(message, this.#mostBytes));
        return input(await bodyOf(body, codec));
      },
    };
  }

  #headersAgain({ headers }: Omit<QueuedMessage, 'again'>): Record<string, unknown> {
    return Object.assign(new Fields(), keptHeaders(headers), { [replayHeader]: String(replaysWith(headers)) });
  }

  /** The topic that a dead letter is from: what it says, where that is taken from here. */
  #originOf({ headers, source }: Omit<QueuedMessage, 'again'>): string {
    const { topics, dlq } = this.#consumer;
    const written = headers[originHeaders[0] as string];
    if (typeof written === 'string' && topics.includes(written)) return written;
    const found = topics.filter((topic) => (dlq?.topic ?? deadLetterName(topic)) === source);
    if (found.length === 1) return found[0] as string;
    throw refusal(`a dead letter of "${source}" does not say which of the topics it is from`);
  }
}

/** Without why a message was given up, and where it is from. */
function keptHeaders<T>(headers: Readonly<Record<string, T>>): Record<string, T | string> {
  const kept = Object.entries(headers).filter(([name]) => name !== errorHeader && !originHeaders.includes(name));
  return Object.fromEntries(kept);
}

function refusal(reason: string): Failure {
  return new Failure('connector_failed', reason, { retriable: false });
}
