import { Failure } from '../../../errors/failure.ts';
import { defaultTls, readTls } from '../../../net/tls.ts';
import type { Connector, ConnectorServices, Factory } from '../../contract.ts';
import { type Address, type AmqpConfig, addressOf } from './address.ts';
import { BrokerLink } from './link.ts';
import { QueueSource } from './source.ts';
import type { amqp } from './spec.ts';

export const create: Factory<typeof amqp> = (name, config, services) => new AmqpConnector(name, config, services);

/** Consumes one queue of a RabbitMQ broker over a connection of its own. */
class AmqpConnector implements Connector {
  readonly name: string;
  readonly source: QueueSource;
  readonly #config: AmqpConfig;
  readonly #services: ConnectorServices;
  readonly #address: Address;
  #link: BrokerLink | undefined;

  constructor(name: string, config: AmqpConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#address = addressOf(config);
    const { queue, prefetch, workers } = config.consumer;
    this.source = new QueueSource({
      connector: name,
      queue,
      vhost: this.#address.vhost,
      prefetch,
      workers,
      services,
      renew: (reason) => this.#link?.renew(reason),
    });
  }

  async open(signal: AbortSignal): Promise<void> {
    const { ignored } = this.#address;
    if (ignored.length > 0)
      this.#services.log.warn('options of the broker url mean nothing here', { options: ignored });
    this.#link ??= new BrokerLink(await this.#linkOptions(), this.source);
    await this.#link.open(signal);
  }

  async close(): Promise<void> {
    await this.source.stop();
    await this.#link?.close();
  }

  async check(): Promise<void> {
    const problem = this.#link === undefined ? 'it is not open' : (this.#link.problem ?? this.source.problem);
    if (problem !== undefined) throw new Failure('connector_refused', problem, { at: { connector: this.name } });
  }

  async #linkOptions() {
    const { heartbeat, connection_name, reconnect_delay, max_reconnects, tls } = this.#config;
    const { clock, log, userAgent } = this.#services;
    const address = this.#address;
    return {
      address,
      tls: address.protocol === 'amqps' ? ((await readTls(tls, this.#services)) ?? defaultTls) : undefined,
      heartbeat: Math.ceil(heartbeat / 1000),
      connectionName: connection_name ?? this.name,
      product: userAgent,
      reconnectDelay: reconnect_delay,
      maxReconnects: max_reconnects,
      clock,
      log,
    };
  }
}
