import type { IPublishPacket, MqttClient } from 'mqtt';
import type { Binding } from '../../contracts/source.ts';
import { Failure } from '../../errors/failure.ts';
import type { Arrival, Driver, Inlet, RetryPolicy } from '../../intake/driver.ts';
import { topicFilters } from '../../intake/routes.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { TopicMessage } from './arrival.ts';
import { filterOf, subscriptionsOf } from './topics.ts';

export interface TopicOptions {
  readonly qos: 0 | 1 | 2;
  readonly prefetch: number;
  readonly workers: number;
}

const acknowledged = async () => undefined;

/** Delivers the messages of topics, for the intake. */
export class TopicDriver implements Driver {
  readonly type = 'mqtt';
  readonly patterns = topicFilters;
  readonly window: number;
  readonly workers: number;
  /** A message keeps its slot through its pauses, and is never given up. */
  readonly retries: RetryPolicy = { most: undefined, keepsRejected: false, pause: 'slot' };
  readonly #qos: TopicOptions['qos'];
  #filters: readonly string[] = [];
  #client: MqttClient | undefined;
  #acknowledgements: Acknowledgements | undefined;
  #deliver: ((arrival: Arrival) => void) | undefined;
  #subscribed: readonly string[] = [];
  /** Takes messages that come while deliveries pause, or from a kept session before its subscription is made again. */
  inlet: Pick<Inlet, 'receive'> | undefined;

  constructor({ qos, prefetch, workers }: TopicOptions) {
    this.#qos = qos;
    this.window = prefetch;
    this.workers = workers;
  }

  get name(): string {
    return this.#filters.join(',');
  }

  follow(bindings: readonly Binding[]): boolean {
    const before = this.name;
    this.#filters = subscriptionsOf(bindings.map(({ operation }) => filterOf(operation)));
    return this.name !== before;
  }

  /** The client whose messages are delivered from now on; before it connects. */
  use(client: MqttClient): void {
    this.#client = client;
    const acknowledgements = new Acknowledgements(client);
    this.#acknowledgements = acknowledgements;
    client.options.customHandleAcks = (topic, _message, packet, done) => {
      this.#take(new TopicMessage(topic, packet as IPublishPacket, acknowledgements.hold(packet.messageId ?? 0)));
      done(0);
    };
    client.on('message', (topic, _payload, packet) => {
      if (packet.qos === 0) this.#take(new TopicMessage(topic, packet, acknowledged));
    });
  }

  /** The connection is gone, and with it everything that was not acknowledged. */
  lost(): void {
    this.#acknowledgements?.forget();
    this.#deliver = undefined;
    this.#subscribed = [];
  }

  async subscribe(_window: number, deliver: (arrival: Arrival) => void): Promise<void> {
    this.#deliver = deliver;
    const client = this.#client as MqttClient;
    const before = this.#subscribed;
    this.#subscribed = this.#filters;
    const ended = before.filter((filter) => !this.#filters.includes(filter));
    const begun = this.#filters.filter((filter) => !before.includes(filter));
    if (ended.length > 0) await client.unsubscribeAsync(ended);
    if (begun.length === 0) return;
    const granted = await client.subscribeAsync(begun, { qos: this.#qos });
    const refused = granted.find(({ qos }) => (qos as number) > 2);
    if (refused !== undefined)
      throw new Failure('connector_refused', `the broker does not allow a subscription to "${refused.topic}"`);
  }

  /**
   * The broker goes on: what is sent to a topic that nobody subscribes to is lost. Messages wait here, unacknowledged, as
   * many as it sends without an acknowledgement.
   */
  async unsubscribe(): Promise<void> {
    this.#deliver = undefined;
  }

  renew(reason: string): void {
    // The client makes its connection again, which subscribes anew. An orderly end would wait for a peer that is silent.
    this.#client?.stream?.destroy(new Error(reason));
  }

  #take(arrival: Arrival): void {
    if (this.#deliver === undefined) this.inlet?.receive(arrival);
    else this.#deliver(arrival);
  }
}
