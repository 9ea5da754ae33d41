import type { Message } from 'kafkajs';
import type { CallResult } from '../../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute, Target } from '../../../../foundation/contracts/target.ts';
import type { FixedWords } from '../../../../foundation/contracts/words.ts';
import { Failure } from '../../../../foundation/errors/failure.ts';
import { encodeBody } from '../../../../platform/formats/encode.ts';
import { codecOf, type FormatName } from '../../../../platform/formats/registry.ts';
import { CallsUnderWay } from '../../../../platform/net/calls-under-way.ts';
import { fired } from '../../../../platform/net/fired.ts';
import { readAccess } from '../../../../platform/net/tls.ts';
import { withinTime } from '../../../../platform/net/within-time.ts';
import { brokersOf } from '../brokers.ts';
import { LogClient } from '../client.ts';
import { failureOf } from '../failure.ts';
import type { KeyFormat } from '../keys/formats.ts';
import type { Cluster } from '../library.ts';
import type { SchemaValues } from '../schemas/values.ts';
import type { LogConfig, sentWords } from '../spec.ts';
import { checkTopic } from '../topics.ts';
import { checkSize, messageOf, paramsOf } from './composition.ts';
import { idempotenceOf } from './identity.ts';
import type { SendSettings } from './outgoing.ts';
import { Sender } from './sender.ts';

type SentWords = FixedWords<typeof sentWords>;

/** What is open while messages can be sent. */
interface Opened {
  readonly client: LogClient;
  readonly cluster: Cluster;
  readonly sender: Sender;
  /** Fires when no further try is to be made. */
  readonly over: AbortController;
}

/** `producer` where nothing is written of it. */
const standard = {
  topic: undefined,
  key_format: 'text',
  acks: 'all',
  retries: 3,
  timeout: 30_000,
  batch_size: 16_384,
  linger_ms: 5,
  compression: 'none',
  idempotent: undefined,
  max_message_size: 1_048_576,
} as const;

/** Sends messages to topics. */
export class LogTarget implements Target {
  readonly #name: string;
  readonly #config: LogConfig;
  readonly #services: ConnectorServices;
  readonly #producer: NonNullable<LogConfig['producer']> | typeof standard;
  readonly #settings: SendSettings;
  readonly #schemas: () => SchemaValues | undefined;
  readonly #calls = new CallsUnderWay();
  #opened: Opened | undefined;

  constructor(name: string, config: LogConfig, services: ConnectorServices, schemas: () => SchemaValues | undefined) {
    this.#name = name;
    this.#config = config;
    this.#services = services;
    this.#schemas = schemas;
    this.#producer = config.producer ?? standard;
    const { acks, retries, batch_size: batchSize, linger_ms: linger, compression } = this.#producer;
    const { max_message_size: mostTogether } = this.#producer;
    this.#settings = { acks, retries, batchSize, linger, compression, mostTogether };
  }

  prepare(description: CallDescription): Execute {
    const { timeout = this.#producer.timeout, target, named } = description;
    const topic = target ?? (named?.['queue'] as string | undefined) ?? this.#producer.topic;
    const words = (description.words ?? {}) as SentWords;
    return (request) => this.#calls.track(this.#send(request.target ?? topic, request, timeout, words));
  }

  async open(signal: AbortSignal): Promise<void> {
    if (this.#opened !== undefined) return;
    const { timeout, acks } = this.#producer;
    if (acks === 'none')
      this.#services.log.warn(
        'messages that are sent are not confirmed: with acks = "none" one that the brokers do not take is lost, and nothing says so',
      );
    const server = brokersOf(this.#config);
    const tls = await readAccess(server, this.#config.tls, this.#services);
    const client = await LogClient.make({
      addresses: server.addresses,
      clientId: this.#config.client_id ?? this.#name,
      sasl: this.#config.sasl,
      tls,
      mostBytes: this.#config.max_response,
      timeout: Math.min(timeout, 30_000),
      metadataMaxAge: this.#config.metadata_max_age,
      log: this.#services.log,
    });
    const give = () => client.end('the attempt was given up');
    try {
      const { cluster } = client.group(this.#name);
      const producer = await client.producer(acks === 'all' ? idempotenceOf(this.#config) : 'none');
      const connected = () => Promise.all([producer.connect(), cluster.connect()]);
      await withinTime(timeout, () => Promise.race([connected(), reasonOf(signal)]));
      const over = new AbortController();
      this.#opened = { client, cluster, sender: new Sender(producer, over.signal, this.#settings), over };
    } catch (error) {
      give();
      throw this.#failure(error, `${server.text} cannot be reached: `);
    }
  }

  /** Messages under way are waited for, unless the time for that is over. */
  async close(cut?: AbortSignal): Promise<void> {
    const opened = this.#opened;
    this.#opened = undefined;
    const done = this.#calls.settled();
    await Promise.race([done, fired(cut)]);
    opened?.over.abort(new Failure('outcome_unknown', 'the connector was closed before the brokers had the message'));
    await done;
    if (opened === undefined) return;
    const { sender, cluster, client } = opened;
    const disconnected = withinTime(2_000, () =>
      Promise.allSettled([sender.producer.disconnect(), cluster.disconnect()]),
    );
    if (cut?.aborted !== true) await Promise.race([disconnected.catch(() => undefined), fired(cut)]);
    client.end('the connector is closed');
    disconnected.catch(() => undefined);
  }

  /** Asks a broker. One that does not answer in time is asked over another connection the next time. */
  async check(signal: AbortSignal): Promise<void> {
    const { cluster, client } = this.#open();
    try {
      await withinTime(this.#producer.timeout, () =>
        Promise.race([cluster.metadata({ topics: [] }), reasonOf(signal)]),
      );
    } catch (error) {
      client.cut('the broker does not answer');
      throw this.#failure(signal.aborted ? new Failure('connector_timeout', 'the broker does not answer') : error);
    }
  }

  async #send(
    topic: string | undefined,
    request: CallRequest,
    timeout: number,
    { format, tombstone = false }: SentWords,
  ): Promise<CallResult> {
    const { sender, client, over } = this.#open();
    if (request.signal?.aborted) throw this.#failure(new Failure('cancelled', 'the call was cancelled'));
    if (topic === undefined || topic === '')
      throw this.#failure(
        new Failure('filter_missing', 'a message needs a topic: write `target`, or `topic` in the producer block'),
      );
    const problem = checkTopic(topic);
    if (problem !== undefined) throw this.#failure(new Failure('value_refused', problem));
    const cancelled = new AbortController();
    const abort = () => cancelled.abort(new Failure('cancelled', 'the call was cancelled'));
    request.signal?.addEventListener('abort', abort, { once: true });
    let isComposed = false;
    const timer = setTimeout(() => {
      const late = isComposed ? 'the brokers did not take the message' : 'the schema registry did not answer';
      cancelled.abort(new Failure('connector_timeout', `${late} within ${timeout / 1000} s`));
      // What does not answer is asked over another connection.
      if (isComposed && timeout >= this.#producer.timeout) client.cut('the broker does not answer');
    }, timeout);
    try {
      const signal = AbortSignal.any([cancelled.signal, over.signal]);
      const schemas = format === undefined ? this.#schemas() : undefined;
      const { key_format: keyFormat } = this.#producer;
      const isEmpty = tombstone && Object.values(request.payload ?? {}).every((value) => (value ?? null) === null);
      const message =
        schemas === undefined
          ? messageOf(request, isEmpty ? null : await encoded(request, format), keyFormat)
          : await Promise.race([withSchemas(schemas, topic, request, { isEmpty, keyFormat }), reasonOf(signal)]);
      isComposed = true;
      checkSize(topic, message, this.#producer.max_message_size);
      await sender.send(topic, message, signal);
      return { rows: [request.payload ?? {}], affected: 1 };
    } catch (error) {
      throw this.#failure(error);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  #open(): Opened {
    if (this.#opened) return this.#opened;
    throw this.#failure(new Failure('connector_refused', `connector "${this.#name}" is not open`));
  }

  #failure(error: unknown, before = ''): Failure {
    const failure = failureOf(error);
    const { code, message, retriable, cause } = failure;
    if (before === '') return failure.within({ connector: this.#name });
    return new Failure(code, `${before}${message}`, { retriable, cause, at: { connector: this.#name } });
  }
}

async function encoded({ payload = {} }: CallRequest, format: FormatName = 'json'): Promise<string | Uint8Array> {
  return encodeBody(await codecOf(format), payload);
}

/** The message of a request, written with the schemas of its topic. Where keys have one, a message without `params.key` has no key. */
async function withSchemas(
  schemas: SchemaValues,
  topic: string,
  request: CallRequest,
  { isEmpty, keyFormat }: { readonly isEmpty: boolean; readonly keyFormat: KeyFormat },
): Promise<Message> {
  const { key } = paramsOf(request);
  const hasKey = key !== undefined && key !== null;
  const [value, written] = await Promise.all([
    isEmpty ? null : schemas.write(topic, 'value', request.payload ?? {}),
    schemas.hasKeys(topic) ? (hasKey ? schemas.write(topic, 'key', key) : null) : keyFormat,
  ]);
  return messageOf(request, value, written);
}

/** Rejects when the signal fires. */
async function reasonOf(signal: AbortSignal): Promise<never> {
  await fired(signal);
  throw signal.reason;
}
