import { randomBytes } from 'node:crypto';
import type { Connector, ConnectorServices, Factory } from '../../foundation/contracts/connector.ts';
import type { Binding, BoundFlows, Source } from '../../foundation/contracts/source.ts';
import type { CallDescription, Target } from '../../foundation/contracts/target.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { ConnectedSource } from '../intake/broker/connected.ts';
import type { MqttConnection } from './connection.ts';
import { TopicDriver } from './driver.ts';
import { preparePublish } from './publish/publish.ts';
import { Publisher } from './publish/publisher.ts';
import type { MqttConfig, mqtt } from './spec.ts';
import { filterOf, parameterReader } from './topics.ts';

export const create: Factory<typeof mqtt> = (name, config, services) => new MqttConnector(name, config, services);

/**
 * A client of a broker. It subscribes under its client id, which no other connection may have at the same time, and
 * publishes over a connection of its own, so that every process can. Neither is made before it is needed.
 */
class MqttConnector implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  readonly reconnecting;
  readonly #config: MqttConfig;
  readonly #subscriber: ConnectedSource<MqttConnection>;
  readonly #publisher: Publisher;
  /** Whether calls are carried out: it is open, be it for them alone. */
  #isOpen = false;
  /** Whether the subscriber is this process's to open. */
  #isHere = false;
  /** Whether flows take messages. */
  #hasFlows = false;
  #publishes = false;

  constructor(name: string, config: MqttConfig, services: ConnectorServices) {
    const { auto_reconnect, max_reconnect_interval: maxDelay, client_id: clientId = name } = config;
    const publisherId = config.publisher_id ?? `${clientId}-publisher-${randomBytes(4).toString('hex')}`;
    const backoff = { kind: 'exponential', delay: Math.min(1000, maxDelay), maxDelay, jitter: true } as const;
    const reconnecting = { backoff, mostAttempts: auto_reconnect ? Number.POSITIVE_INFINITY : 0 };
    this.name = name;
    this.reconnecting = reconnecting;
    this.#config = config;
    const driver = new TopicDriver(clientId, config, services.log);
    this.#subscriber = new ConnectedSource(name, driver, reconnecting, services);
    this.#publisher = new Publisher(publisherId, config, reconnecting, services, () => services.connectionLost?.(name));
    const { source } = this.#subscriber;
    this.source = {
      events: source.events,
      bind: (bindings) => this.#bind(bindings),
      start: () => source.start(),
      stop: (cut) => source.stop(cut),
    };
    this.target = { prepare: (call) => this.#prepare(call) };
    if (publisherId === clientId)
      throw new Failure('connector_failed', 'publisher_id is that of the client: the broker lets one of two connect', {
        retriable: false,
      });
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#isHere = true;
    await this.openTarget(signal);
    await (this.#subscribes ? this.#subscriber.open(signal) : this.#within(() => this.#publisher.open(signal)));
  }

  async openTarget(signal: AbortSignal): Promise<void> {
    this.#isOpen = true;
    if (this.#publishes) await this.#within(() => this.#publisher.open(signal));
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    this.#isOpen = false;
    await this.#publisher.close(cut);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    this.#isHere = false;
    await this.#subscriber.close(cut);
  }

  async check(signal: AbortSignal): Promise<string | undefined> {
    if (!this.#isOpen) throw this.#notOpen();
    if (this.#publisher.isOpen) await this.#within(() => this.#publisher.check(signal));
    return this.#isHere && this.#subscribes ? this.#subscriber.check(signal) : undefined;
  }

  /** The connection of the client id is needed for messages, and for the last will, which the broker sends when it is lost. */
  get #subscribes(): boolean {
    return this.#hasFlows || this.#config.will !== undefined;
  }

  /** A configuration that is the first to subscribe connects; nothing is subscribed to before it is in use. */
  #bind(bindings: readonly Binding[]): BoundFlows {
    if (bindings.length === 0 && !this.#hasFlows) return noFlows;
    const isNew = !this.#subscribes;
    this.#hasFlows = true;
    const bound = this.#subscriber.source.bind(bindings.map(withParameters));
    return {
      ...bound,
      prepare: async () => {
        await bound.prepare();
        if (isNew && this.#isHere) await this.#subscriber.open(AbortSignal.timeout(this.#config.connect_timeout));
      },
    };
  }

  #prepare(call: CallDescription) {
    this.#publishes = true;
    const { name: connector } = this;
    return preparePublish(
      {
        connector,
        config: this.#config,
        publish: (message, timeout, caller) => {
          if (!this.#isOpen) throw this.#notOpen();
          return this.#within(() => this.#publisher.publish(message, timeout, caller));
        },
      },
      call,
    );
  }

  #notOpen(): Failure {
    return new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }

  /** Failures say whose they are. */
  async #within<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw error instanceof Failure ? error.within({ connector: this.name }) : error;
    }
  }
}

/** The flow is given the parameters of its topic beside the fields of the message. */
function withParameters(binding: Binding): Binding {
  const read = parameterReader(binding.operation);
  if (read === undefined) return binding;
  return {
    ...binding,
    operation: filterOf(binding.operation),
    deliver: (message, dropCounts) => {
      read(String(message.input['_topic']), message.input as Record<string, unknown>);
      return binding.deliver(message, dropCounts);
    },
  };
}

/** Of a connector that only publishes. */
const noFlows: BoundFlows = {
  prepare: async () => undefined,
  use: () => undefined,
  ended: async () => undefined,
};
