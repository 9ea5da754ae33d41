import type { IClientOptions } from 'mqtt';
import type { ConnectedDriver, ConnectOptions } from '../../intake/connected-driver.ts';
import { topicFilters } from '../../intake/routes.ts';
import type { TlsMaterial } from '../../net/tls.ts';
import type { Log } from '../../observe/log.ts';
import { addressOf, type MqttConfig } from './address.ts';
import { MqttConnection } from './connection.ts';
import { filterOf, subscriptionsOf } from './topics.ts';

/** How long a broker of version 5 keeps the session of a client that is not connected, in seconds: as long as it can. */
const sessionSeconds = 0xffff_ffff;

/** Delivers the messages of topics, for the intake. */
export class TopicDriver implements ConnectedDriver<MqttConnection> {
  readonly type = 'mqtt';
  readonly sourceKind = 'topic';
  readonly patterns = topicFilters;
  readonly sources = undefined;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly #config: MqttConfig;
  readonly #clientId: string;
  readonly #log: Log;

  constructor(name: string, config: MqttConfig, log: Log) {
    this.server = addressOf(config);
    this.tls = config.tls;
    this.consumer = config;
    this.#config = config;
    this.#clientId = config.client_id ?? name;
    this.#log = log;
  }

  sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
    return subscriptionsOf(operations.map(filterOf));
  }

  prepare(): void {
    const { qos, clean_session } = this.#config;
    if (qos === 0) this.#log.info('messages are delivered at most once: qos = 0');
    else if (clean_session)
      this.#log.info('messages sent while this client is not connected are lost: clean_session = true');
  }

  /** A broker sends messages of a kept session before its subscription is made again, and continues in a pause. */
  connect({ tls, lost, signal, deliver }: ConnectOptions): Promise<MqttConnection> {
    return MqttConnection.open(this.#options(tls), this.#config.max_message, { lost, signal, deliver });
  }

  ping(connection: MqttConnection): Promise<void> {
    return connection.ping();
  }

  subscribe(connection: MqttConnection, filters: readonly string[]): Promise<void> {
    return connection.subscribe(filters, this.#config.qos as 0 | 1 | 2);
  }

  #options(tls: TlsMaterial | undefined): IClientOptions {
    const { protocol_version, clean_session, keep_alive, connect_timeout, prefetch, max_message } = this.#config;
    const { protocol, host, port, path, username, password } = this.server;
    return {
      protocol,
      // A WebSocket takes its host out of an address.
      host: path !== undefined && host.includes(':') ? `[${host}]` : host,
      port,
      ...(path !== undefined && { path, wsOptions: { ...tls } }),
      ...tls,
      ...(username !== undefined && { username }),
      ...(password !== undefined && { password }),
      clientId: this.#clientId,
      protocolVersion: protocol_version === '5' ? 5 : 4,
      clean: clean_session,
      keepalive: Math.ceil(keep_alive / 1000),
      connectTimeout: connect_timeout,
      resubscribe: false,
      queueQoSZero: false,
      ...(protocol_version === '5' && {
        properties: {
          receiveMaximum: prefetch,
          maximumPacketSize: max_message,
          ...(clean_session ? {} : { sessionExpiryInterval: sessionSeconds }),
        },
      }),
    };
  }
}
