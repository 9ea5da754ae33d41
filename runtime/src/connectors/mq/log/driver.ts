import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { QueueCounts } from '../../../foundation/contracts/queue.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { ConnectedDriver, ConnectOptions, Deliver, SourceStatus } from '../../intake/broker/connected-driver.ts';
import { deadLetterName, standardRetryHeader } from '../../intake/broker/dead-letters.ts';
import { brokersOf } from './brokers.ts';
import { LogClient } from './client.ts';
import { LogConnection, refused } from './connection.ts';
import { type ConsumerSettings, GroupConsumer, type GroupPlace } from './group/consumer.ts';
import { heartbeatEvery } from './group/membership.ts';
import { startPositionOf } from './group/start-position.ts';
import type { KeyFormat } from './keys/formats.ts';
import { LogMessage } from './message.ts';
import { idempotenceOf } from './publish/identity.ts';
import type { SchemaValues } from './schemas/values.ts';
import type { LogConfig } from './spec.ts';
import { topicNames } from './topics.ts';
import { TopicTopology } from './topology.ts';

/** Tries after the first one, where nothing is written. */
const standardRetries = 3;
/** Milliseconds in which a broker takes a connection and signs a client in. */
const longestConnect = 10_000;
/** Milliseconds in which a broker answers what is asked of it. */
const longestAnswer = 15_000;

/** Delivers the messages of topics, for the intake. */
export class TopicDriver implements ConnectedDriver<LogConnection> {
  readonly type = 'partitioned_log';
  readonly sourceKind = 'topic';
  readonly patterns = topicNames;
  readonly countsHeld = true;
  readonly keysAreSources = true;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly mostBytes: number;
  readonly sources;
  readonly topology;
  readonly #config: LogConfig;
  readonly #settings: ConsumerSettings;
  readonly #clientId: string;
  readonly #services: ConnectorServices;
  readonly #schemas: () => SchemaValues | undefined;
  readonly #deadLetterTopic: ((topic: string) => string) | undefined;
  readonly #keyFormat: KeyFormat;
  /** What this member is in the group: it takes its place again over the next connection. */
  readonly #member: GroupPlace;

  constructor(name: string, config: LogConfig, services: ConnectorServices, schemas: () => SchemaValues | undefined) {
    const { consumer, tls, client_id = name } = config;
    const { prefetch, workers, dlq, retry_count, ...written } = consumer as NonNullable<typeof consumer>;
    const isKept = dlq?.enabled ?? true;
    const maxRetries = retry_count ?? dlq?.max_retries ?? standardRetries;
    this.server = brokersOf(config);
    this.tls = tls;
    this.consumer = {
      prefetch,
      workers,
      dlq: { enabled: isKept, max_retries: maxRetries, retry_header: standardRetryHeader, external: true },
    };
    this.sources = [...new Set(written.topics)];
    this.#deadLetterTopic = isKept ? (topic) => dlq?.topic ?? deadLetterName(topic) : undefined;
    this.topology = new TopicTopology(written.create_if_missing, this.#deadLetterTopic, services.log);
    this.mostBytes = config.max_response;
    this.#config = config;
    this.#clientId = client_id;
    this.#keyFormat = written.key_format;
    this.#services = services;
    this.#schemas = schemas;
    this.#member = { id: '', instanceId: written.group_instance_id, begun: new Set(), left: new Map() };
    this.#settings = {
      groupId: written.group_id,
      topics: this.sources,
      sessionTimeout: written.session_timeout,
      rebalanceTimeout: written.rebalance_timeout,
      minBytes: written.min_bytes,
      maxBytes: written.max_bytes,
      maxWait: written.max_wait_time,
      start: startPositionOf(written.offset),
      autoCommit: written.auto_commit,
    };
  }

  prepare(): void {
    if (this.#settings.autoCommit)
      this.#services.log.warn(
        'messages that are under way when the service ends are lost: auto_commit = true commits them before their flows',
      );
  }

  async connect({ tls, lost, signal }: ConnectOptions): Promise<LogConnection> {
    const { log } = this.#services;
    const client = await LogClient.make({
      addresses: this.server.addresses,
      clientId: this.#clientId,
      sasl: this.#config.sasl,
      tls,
      mostBytes: this.#config.max_response,
      timeout: longestAnswer + this.#settings.maxWait,
      // It is looked at with each heartbeat.
      metadataMaxAge: Math.max(1, this.#config.metadata_max_age - heartbeatEvery(this.#settings)),
      log,
    });
    const group = client.group(this.#settings.groupId);
    const give = () => client.end('the attempt was given up');
    signal.addEventListener('abort', give, { once: true });
    const consumer = new GroupConsumer({ client: group, settings: this.#settings, member: this.#member, log, lost });
    try {
      signal.throwIfAborted();
      await withinTime(longestConnect, () => group.cluster.connect());
      return new LogConnection({
        client,
        cluster: group.cluster,
        consumer,
        deadLetterTopic: this.#deadLetterTopic,
        keyFormat: this.#keyFormat,
        schemas: this.#schemas(),
        idempotence: idempotenceOf(this.#config),
        lost,
      });
    } catch (error) {
      give();
      throw refused(error);
    } finally {
      signal.removeEventListener('abort', give);
    }
  }

  async subscribe(connection: LogConnection, topics: readonly string[], window: number, deliver: Deliver) {
    const { consumer } = connection;
    await connection.read(topics);
    consumer.deliver(
      (record, partition) => deliver(new LogMessage(record, partition, connection), partition.topic),
      window,
    );
    return async () => consumer.deliver(undefined, 0);
  }

  /** Messages of every topic of the group come in turn, so that which one is asked for means nothing. */
  async take(connection: LogConnection): Promise<LogMessage | undefined> {
    await connection.read(this.sources);
    const found = connection.consumer.next();
    return found && new LogMessage(found.record, found.partition, connection);
  }

  async ping({ cluster }: LogConnection): Promise<void> {
    await cluster.metadata({ topics: [...this.sources] });
  }

  async inspect(connection: LogConnection, topic: string): Promise<SourceStatus> {
    await connection.know([topic]);
    const waiting = await connection.consumer.lag(topic);
    return waiting === undefined ? {} : { waiting };
  }

  async figures(connection: LogConnection, topic: string): Promise<QueueCounts> {
    await connection.know([topic]);
    return connection.consumer.counts(topic);
  }
}
