import type { IClientOptions, IClientSubscribeOptions, IPublishPacket, MqttClient } from 'mqtt';
import { Failure } from '../../foundation/errors/failure.ts';
import { type Connection, watchLoss } from '../../platform/net/connection.ts';
import { rewriteData } from '../../platform/net/rewritten-data.ts';
import { withinTime } from '../../platform/net/within-time.ts';
import type { ConnectOptions, Deliver } from '../intake/broker/connected-driver.ts';
import { Acknowledgements } from './acknowledgements.ts';
import { MqttMessage } from './message.ts';
import { packetLimit } from './packet-limit.ts';
import { Outgoing, type OutgoingMessage } from './publish/outgoing.ts';
import { reasonOf } from './reason.ts';
import { Window } from './window.ts';

/** Milliseconds in which a broker that holds no message of this side answers before it is left. */
const longestFarewell = 2_000;

/** Packet identifiers that there are: more messages cannot wait for their acknowledgements. */
const mostIdentifiers = 65_535;

/** What is held for one connection. */
export interface ConnectionLimits {
  /** Bytes of one packet that the broker sends. */
  readonly mostBytes: number;
  /** Published messages without an answer of the broker. */
  readonly mostInFlight: number;
  /** Messages that were handed over and not acknowledged. */
  readonly mostHeld: number;
  /** The connector divides its messages with others, which the broker must know. */
  readonly isShared: boolean;
}

const noSharing =
  'the broker has no shared subscriptions, which the group of this connector needs: leave the group out, or use another broker';

/** What a broker of version 5 says that it does. */
interface ServerProperties {
  readonly sharedSubscriptionAvailable?: boolean;
}

/** A connection under a client id, what is subscribed over it, and what waits to be acknowledged, here and there. */
export class MqttConnection implements Connection {
  readonly #client: MqttClient;
  readonly #deliver: Deliver;
  readonly #window: Window<MqttMessage>;
  readonly #outgoing: Outgoing;
  #filters: readonly string[] = [];
  #isRefusing = false;
  #concern: string | undefined;
  /** Why the broker ended the connection, where it said so. */
  #said: string | undefined;

  private constructor(client: MqttClient, { mostBytes, mostInFlight, mostHeld }: ConnectionLimits, deliver: Deliver) {
    this.#client = client;
    this.#deliver = deliver;
    this.#outgoing = new Outgoing(client, mostInFlight, mostBytes);
    this.#window = new Window<MqttMessage>(mostHeld, deliver);
    const acknowledgements = new Acknowledgements(client);
    client.options.customHandleAcks = (topic, _message, packet, done) => {
      if (packet.dup && acknowledgements.holds(packet.messageId ?? 0)) return done(0);
      const acknowledge = acknowledgements.hold(packet.messageId ?? 0);
      this.#hold(new MqttMessage(topic, packet as IPublishPacket, { acknowledge, end: () => this.#window.ended() }));
      done(0);
    };
    client.on('message', (topic, _payload, packet) => {
      if (packet.qos === 0 && !this.#isRefusing) this.#deliver(new MqttMessage(topic, packet));
    });
    client.on('close', () => {
      acknowledgements.forget();
      this.#window.clear();
    });
  }

  /** The bytes of a message of more than `mostBytes` do not come; with version 5 it ends the connection. */
  static async open(
    options: IClientOptions,
    limits: ConnectionLimits,
    { lost, signal, deliver }: Omit<ConnectOptions, 'tls'>,
  ): Promise<MqttConnection> {
    const { connect } = await import('mqtt');
    const client = connect({ ...options, reconnectPeriod: 0, manualConnect: true });
    const connection = new MqttConnection(client, limits, deliver);
    const { promise: connected, resolve, reject } = Promise.withResolvers<void>();
    client.on('disconnect', ({ reasonCode }) => {
      connection.#said = reasonOf(reasonCode, options.clientId);
    });
    const watch = watchLoss((reason) => {
      reject(new Error(connection.#said ?? reason));
      lost(connection.#said ?? reason);
    }, `the broker closed the connection: has another client the client_id "${options.clientId}"?`);
    watch(client);
    client.on('connect', () => resolve());
    client.on('error', (error) => {
      reject(error);
      // What the client cannot read stays unread behind it.
      client.stream?.destroy();
    });
    const abort = () => reject(signal.reason);
    signal.addEventListener('abort', abort, { once: true });
    try {
      client.connect();
      const { mostBytes } = limits;
      const limit = packetLimit(mostBytes, options.protocolVersion !== 5);
      rewriteData(client.stream, limit, (problem) => {
        // What still comes stays unacknowledged.
        connection.#isRefusing = true;
        client.emit('error', problem);
      });
      await connected;
      if (limits.isShared) connection.#checkSharing();
      return connection;
    } catch (error) {
      connection.destroy();
      throw error;
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  /** The subscriptions of the connection are these filters from now on. */
  async subscribe(filters: readonly string[], options: IClientSubscribeOptions): Promise<void> {
    const before = this.#filters;
    this.#filters = filters;
    const ended = before.filter((filter) => !filters.includes(filter));
    const begun = filters.filter((filter) => !before.includes(filter));
    if (ended.length > 0) await this.#client.unsubscribeAsync(ended);
    if (begun.length === 0) return;
    const granted = await this.#client.subscribeAsync(begun, options).catch((error: unknown) => {
      throw this.#said === undefined ? error : new Failure('connector_refused', this.#said, { cause: error });
    });
    const refused = granted.find(({ qos: grantedQos }) => (grantedQos as number) > 2);
    if (refused !== undefined)
      throw new Failure('connector_refused', `the broker does not allow a subscription to "${refused.topic}"`);
    const lower = granted.filter(({ qos: grantedQos }) => grantedQos < (options.qos ?? 0));
    this.#concern =
      lower.length === 0
        ? undefined
        : `the broker granted a lower quality of service than ${options.qos} for ${lower.map(({ topic, qos }) => `"${topic}" (${qos})`).join(', ')}`;
  }

  /** Why less is delivered than was asked for; undefined when all is well. */
  get concern(): string | undefined {
    return this.#concern;
  }

  /** Throws where a broker of version 5 said that it shares no subscriptions: it ends the connection over one. */
  #checkSharing(): void {
    const { serverProperties } = this.#client as unknown as { readonly serverProperties?: ServerProperties };
    if (serverProperties?.sharedSubscriptionAvailable !== false) return;
    throw new Failure('connector_failed', noSharing, { retriable: false });
  }

  /** Resolves when the broker has taken the message over; as of `Outgoing`. */
  publish(message: OutgoingMessage, signal: AbortSignal): Promise<void> {
    return this.#outgoing.publish(message, signal);
  }

  /** Resolves when the broker has answered a ping, and with it has read everything that was sent before. */
  async ping(): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const answered = ({ cmd }: { readonly cmd?: string }) => void (cmd === 'pingresp' && resolve());
    const closed = () => reject(new Failure('connector_refused', 'the connection is closed'));
    this.#client.on('packetreceive', answered);
    this.#client.on('close', closed);
    try {
      if (!this.#client.connected) closed();
      else this.#client.sendPing();
      await promise;
    } finally {
      this.#client.off('packetreceive', answered);
      this.#client.off('close', closed);
    }
  }

  /** A broker says nothing to the packet that ends a connection, and what is between may close before it has passed. */
  async close(): Promise<void> {
    await this.#outgoing.idle();
    // Acknowledgements of messages must pass; of what was published, the broker has said that it has it.
    await (this.#filters.length > 0 ? this.ping() : withinTime(longestFarewell, () => this.ping()));
    await this.#client.endAsync();
  }

  destroy(): void {
    this.#client.end(true);
    this.#client.stream?.destroy();
  }

  #hold(message: MqttMessage): void {
    if (this.#isRefusing) return;
    if (this.#window.waiting < mostIdentifiers) return this.#window.add(message);
    this.#isRefusing = true;
    this.#client.emit('error', new Error(`the broker sent more than ${mostIdentifiers} messages that wait`));
  }
}
