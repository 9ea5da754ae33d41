import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Target } from '../../../foundation/contracts/target.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { listenerOf, type RedisClient } from '../../../platform/net/redis/client.ts';
import { RedisConnection } from '../../../platform/net/redis/connection.ts';
import { storeFailure } from '../../../platform/net/redis/failure.ts';
import { type Connectable, type Servers, serversOf } from '../../../platform/net/redis/servers.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { ConnectedSource, reconnectingOf } from '../../intake/broker/connected.ts';
import type { Intake } from '../../intake/intake.ts';
import type { ChannelConnection } from './connection.ts';
import { ChannelDriver } from './driver.ts';
import type { PubsubConfig, pubsub } from './spec.ts';
import { channelTarget } from './target.ts';

export const create: Factory<typeof pubsub> = (name, config, services) => new ChannelConnector(name, config, services);

/** Publishes over one connection, and subscribes over another where flows take messages. */
class ChannelConnector implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly target: Target;
  readonly reconnecting;
  readonly #config: PubsubConfig;
  readonly #services: ConnectorServices;
  readonly #servers: Servers;
  readonly #subscriber: ConnectedSource<ChannelConnection>;
  #connection: RedisConnection<RedisClient> | undefined;
  #missing: Connectable['missing'] | undefined;

  constructor(name: string, config: PubsubConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#servers = serversOf(config);
    const listener = () => listenerOf(this.#opened().redis);
    const driver = new ChannelDriver(config, this.#servers.place.label, listener, services.log);
    this.reconnecting = reconnectingOf(config);
    this.#subscriber = new ConnectedSource(name, driver, this.reconnecting, services);
    this.source = this.#subscriber.source;
    this.target = channelTarget(name, () => (this.#connection?.isOpen ? this.#connection.redis : undefined));
  }

  async open(signal: AbortSignal): Promise<void> {
    await this.openTarget(signal);
    await this.#subscriber.open(signal);
  }

  /** What publishes is open in every process, what subscribes in one. */
  async openTarget(signal: AbortSignal): Promise<void> {
    const { timeout, connect_timeout: connectTimeout, tls } = this.#config;
    const { log, userAgent } = this.#services;
    if (this.#connection === undefined) {
      const settings = { timeout, connectTimeout, name: userAgent, tls: await readTls(tls, this.#services) };
      const { redis, missing } = this.#servers.client(settings);
      this.#connection = new RedisConnection(redis, this.#servers.place, 'the server', log);
      this.#missing = missing;
    }
    try {
      await this.#connection.open(signal);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  closeSource(cut?: AbortSignal): Promise<void> {
    return this.#subscriber.close(cut);
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    await this.#connection?.close(cut);
    this.#connection = undefined;
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    try {
      this.#opened();
      // Both are asked, so that either connection is made again when its server is silent.
      const asked = [this.#missing?.(), this.#subscriber.check(signal)];
      await Promise.allSettled(asked);
      const reasons = await Promise.all(asked);
      return reasons.find((reason) => reason !== undefined);
    } catch (error) {
      throw this.#refused(error);
    }
  }

  #opened(): RedisConnection<RedisClient> {
    if (this.#connection?.isOpen !== true) throw new Failure('connector_refused', 'it is not open');
    return this.#connection;
  }

  #refused(error: unknown): Failure {
    const failure = error instanceof Failure ? error : storeFailure(error);
    return failure.within({ connector: this.name });
  }
}
