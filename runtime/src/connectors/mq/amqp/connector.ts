import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { readAccess } from '../../../platform/net/tls.ts';
import { ConnectedSource, reconnectingOf } from '../../intake/broker/connected.ts';
import { addressOf } from './address.ts';
import { consumingOf } from './consuming.ts';
import { QueueDriver } from './driver.ts';
import { BrokerNotice } from './other-brokers.ts';
import { PublishingConnection } from './publish/connection.ts';
import { Publisher } from './publish/publisher.ts';
import { QueueTarget } from './publish/target.ts';
import type { AmqpConfig, amqp } from './spec.ts';
import { ensureExchange } from './topology.ts';

/** Takes messages of queues of a RabbitMQ broker over one connection, and sends them over another one. */
export const create: Factory<typeof amqp> = (name, config, services) => new AmqpConnector(name, config, services);

class AmqpConnector implements Connector {
  readonly name: string;
  readonly reconnecting;
  readonly source?: ConnectedSource<never>['source'];
  readonly target: QueueTarget;
  readonly createSource?: NonNullable<Connector['createSource']>;
  readonly openDesk?: NonNullable<Connector['openDesk']>;
  readonly #consuming: Connector | undefined;
  readonly #publisher: Publisher;
  /** Whether it connects for what is sent before anything is. */
  #publishes: boolean;

  constructor(name: string, config: AmqpConfig, services: ConnectorServices) {
    const { publisher } = config;
    const consuming = consumingOf(config);
    this.name = name;
    this.#publishes = publisher !== undefined || consuming === undefined;
    const { seen } = new BrokerNotice(services.log);
    this.#publisher = publisherOf(name, config, services, seen);
    const { username } = addressOf(config);
    this.target = new QueueTarget(
      this.#publisher,
      {
        exchange: publisher?.exchange ?? '',
        routingKey: publisher?.routing_key,
        mandatory: publisher?.mandatory,
        persistent: publisher?.persistent ?? true,
        contentType: publisher?.content_type,
        confirms: publisher?.confirms ?? true,
        timeout: publisher?.timeout ?? standardTimeout,
        mostBytes: config.max_message,
        user: username,
        queue: consuming?.name,
      },
      services.clock,
      () => {
        this.#publishes = true;
      },
    );
    this.reconnecting = reconnectingOf(config);
    if (consuming === undefined) return;
    const driver = new QueueDriver(name, config, consuming, services, seen);
    const connected = new ConnectedSource(name, driver, this.reconnecting, services);
    this.#consuming = connected;
    this.source = connected.source;
    this.openDesk = async (options) =>
      (await import('./desk.ts')).AmqpDesk.open(name, config, consuming, options, services);
    if (connected.createSource) this.createSource = connected.createSource;
    if (consuming.consumer.auto_ack)
      services.log.warn(
        'auto_ack: a message is acknowledged when its flow begins, and is lost when the process or the connection ends before the flow does',
      );
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.openTarget(signal);
    await this.#consuming?.open(signal);
  }

  async openTarget(signal: AbortSignal): Promise<void> {
    await this.#publisher.open(this.#publishes, signal);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    await this.#consuming?.close(cut);
  }

  /** What is taken may still have to be sent. */
  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    await this.#publisher.close(cut);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    const problems = await Promise.all([this.#consuming?.check?.(signal), this.#publisher.check(signal)]);
    return problems.find((problem) => problem !== undefined) ?? undefined;
  }
}

/** Milliseconds of a call where nothing says it. */
const standardTimeout = 30_000;

function publisherOf(
  name: string,
  config: AmqpConfig,
  services: ConnectorServices,
  seen: BrokerNotice['seen'],
): Publisher {
  const { tls, connection_name = name, heartbeat, max_message: mostBytes, publisher, exchange: declared } = config;
  const address = addressOf(config);
  const clientProperties = { product: services.userAgent, connection_name };
  return new Publisher({
    connector: name,
    address: address.text,
    connect: async (events) =>
      PublishingConnection.open(address, {
        heartbeat,
        mostBytes,
        clientProperties,
        seen,
        tls: await readAccess(address, tls, services),
        ...events,
      }),
    attach: async (connection) => {
      const place = `virtual host "${address.vhost}"`;
      // What would be made is not missed.
      if (services.isDryRun === true && declared?.create_if_missing === true) return;
      if (declared !== undefined) await ensureExchange((work) => connection.apart(work), declared, place);
      const exchange = publisher?.exchange ?? '';
      if (await connection.hasExchange(exchange)) return;
      throw new Failure(
        'connector_failed',
        `exchange "${exchange}" does not exist in ${place}: declare it at the broker first`,
        { retriable: false },
      );
    },
    timeout: publisher?.timeout ?? standardTimeout,
    reconnecting: reconnectingOf(config),
    services,
  });
}
