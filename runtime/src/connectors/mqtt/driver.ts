import type { Log } from '../../foundation/observe/log.ts';
import type { ConnectedDriver, ConnectOptions } from '../intake/broker/connected-driver.ts';
import { topicFilters } from '../intake/dispatch/routes.ts';
import { addressOf } from './address.ts';
import { clientOptions, sessionOptions } from './client-options.ts';
import { MqttConnection } from './connection.ts';
import type { MqttMessage } from './message.ts';
import type { MqttConfig } from './spec.ts';
import { filterOf, subscriptionsOf } from './topics.ts';

/** Delivers the messages of topics, for the intake. */
export class TopicDriver implements ConnectedDriver<MqttConnection> {
  readonly type = 'mqtt';
  readonly sourceKind = 'topic';
  readonly patterns = topicFilters;
  readonly sources = undefined;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly mostBytes: number;
  readonly #config: MqttConfig;
  readonly #clientId: string;
  readonly #log: Log;

  constructor(clientId: string, config: MqttConfig, log: Log) {
    this.server = addressOf(config);
    this.tls = config.tls;
    this.consumer = config;
    this.mostBytes = config.max_message;
    this.#config = config;
    this.#clientId = clientId;
    this.#log = log;
  }

  sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
    return subscriptionsOf(operations.map(filterOf));
  }

  prepare(): void {
    const { qos, clean_session, share_group, protocol_version } = this.#config;
    if (share_group !== undefined && protocol_version !== '5')
      this.#log.warn(
        'share_group needs a broker that knows shared subscriptions, which one of version 3.1.1 does not say: another one takes the group for a topic, and no message comes',
        { share_group },
      );
    if (qos === 0) this.#log.info('messages are delivered at most once: qos = 0');
    else if (clean_session)
      this.#log.info('messages sent while this client is not connected are lost: clean_session = true');
  }

  /** A broker sends messages of a kept session before its subscription is made again, and continues in a pause. */
  connect({ tls, lost, signal, deliver }: ConnectOptions): Promise<MqttConnection> {
    const options = sessionOptions(this.#config, clientOptions(this.#config, this.#clientId, tls));
    const { max_message: mostBytes, prefetch: mostHeld, share_group: group } = this.#config;
    const limits = { mostBytes, mostInFlight: 1, mostHeld, isShared: group !== undefined };
    const take: typeof deliver = this.#config.retained
      ? deliver
      : (message) => ((message as MqttMessage).isRetained ? void message.settle({ kind: 'ack' }) : deliver(message));
    return MqttConnection.open(options, limits, { lost, signal, deliver: take });
  }

  concern(connection: MqttConnection): string | undefined {
    return connection.concern;
  }

  ping(connection: MqttConnection): Promise<void> {
    return connection.ping();
  }

  subscribe(connection: MqttConnection, filters: readonly string[]): Promise<void> {
    const { qos, share_group: group, retained, clean_session: clean } = this.#config;
    const shared = group === undefined ? filters : filters.map((filter) => `$share/${group}/${filter}`);
    // With a kept session only a subscription that is new brings what the broker had kept (version 5, `rh`).
    return connection.subscribe(shared, { qos: qos as 0 | 1 | 2, rh: retained ? (clean ? 0 : 1) : 2 });
  }
}
