import type { Connector, ConnectorServices, Factory } from '../../../contracts/connector.ts';
import { Failure } from '../../../errors/failure.ts';
import { Intake } from '../../../intake/intake.ts';
import { defaultTls, readTls } from '../../../net/tls.ts';
import { type Address, type AmqpConfig, addressOf } from './address.ts';
import { declareQueue } from './declare.ts';
import { QueueDriver } from './driver.ts';
import { BrokerLink, textOf } from './link.ts';
import type { amqp } from './spec.ts';
import { Topology } from './topology.ts';

export const create: Factory<typeof amqp> = (name, config, services) => new AmqpConnector(name, config, services);

/** Consumes queues of a RabbitMQ broker over a connection of its own. */
class AmqpConnector implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly #driver: QueueDriver;
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
    this.#driver = new QueueDriver({
      queue,
      prefetch,
      workers,
      topology: new Topology(config.consumer, this.#address.vhost, services.log),
      renew: (reason) => this.#link?.renew(reason),
    });
    this.source = new Intake(this.#driver, { connector: name, services });
    this.#driver.inlet = this.source;
  }

  async open(signal: AbortSignal): Promise<void> {
    const { ignored } = this.#address;
    if (ignored.length > 0)
      this.#services.log.warn('options of the broker url mean nothing here', { options: ignored });
    this.#link ??= new BrokerLink(await this.#linkOptions(), this.#driver);
    await this.#link.open(signal);
  }

  async createSource(signal: AbortSignal): Promise<string | undefined> {
    const { consumer } = this.#config;
    const { queue } = consumer;
    if (queue === undefined) return undefined;
    const isMade = await declareQueue(await this.#linkOptions(), consumer, queue, signal);
    return isMade ? `queue "${queue}"` : undefined;
  }

  async close(): Promise<void> {
    await this.source.stop();
    await this.#link?.close();
  }

  /** Asks the broker over the connection that consumes. One that does not answer in time is made again. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const problem = this.#link === undefined ? 'it is not open' : (this.#link.problem ?? this.source.problem);
    if (problem !== undefined) throw new Failure('connector_refused', problem, { at: { connector: this.name } });
    const { promise: silent, reject } = Promise.withResolvers<never>();
    const late = () => reject(new Failure('connector_timeout', 'the broker does not answer'));
    signal.addEventListener('abort', late, { once: true });
    try {
      await Promise.race([this.#driver.probe(), silent]);
      return this.source.pause;
    } catch (error) {
      this.#link?.renew(textOf(error));
      throw error;
    } finally {
      signal.removeEventListener('abort', late);
    }
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
