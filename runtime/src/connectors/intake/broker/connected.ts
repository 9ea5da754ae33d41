import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Backoff } from '../../../platform/net/backoff.ts';
import {
  type Connection,
  closeGracefully,
  ReconnectingConnection,
  refusedBy,
} from '../../../platform/net/connection.ts';
import { readAccess, type TlsMaterial } from '../../../platform/net/tls.ts';
import type { Delivery } from '../driver.ts';
import { Intake } from '../intake.ts';
import type { ConnectedDriver, ConnectOptions } from './connected-driver.ts';
import { Subscriptions } from './subscriptions.ts';

/** Milliseconds between attempts to connect again, where there is always a further one. */
const longestPause = 30_000;

/** How a lost connection is made again. */
export interface Reconnecting {
  readonly backoff: Backoff;
  /** Failed attempts in a row after which no further one is made. */
  readonly mostAttempts: number;
}

/** What `reconnectAttributes` say. */
export function reconnectingOf(written: {
  readonly reconnect_delay: number;
  readonly max_reconnects?: number | undefined;
}): Reconnecting {
  const { reconnect_delay: delay, max_reconnects: mostAttempts } = written;
  if (mostAttempts === undefined) {
    const maxDelay = Math.max(delay, longestPause);
    return {
      backoff: { kind: 'exponential', delay, maxDelay, jitter: true },
      mostAttempts: Number.POSITIVE_INFINITY,
    };
  }
  return { backoff: { kind: 'constant', delay, maxDelay: delay * 1.2, jitter: true }, mostAttempts };
}

/** A connector that takes messages over a connection of its own, which is made again whenever it is lost. */
export class ConnectedSource<C extends Connection> implements Connector {
  readonly name: string;
  readonly source: Intake;
  readonly reconnecting: Reconnecting;
  /** Declares the sources that are missing over a connection of its own. */
  readonly createSource?: (signal: AbortSignal) => Promise<string | undefined>;
  readonly #driver: ConnectedDriver<C>;
  readonly #services: ConnectorServices;
  readonly #subscriptions: Subscriptions<C>;
  readonly #connection: ReconnectingConnection<C>;
  #tls: TlsMaterial | undefined;
  #isPrepared = false;

  constructor(name: string, driver: ConnectedDriver<C>, reconnecting: Reconnecting, services: ConnectorServices) {
    const subscriptions = new Subscriptions(driver, services.log);
    const renew = (reason: string) => this.#connection.renew(reason);
    const source = new Intake(subscriptions, { connector: name, services, renew });
    const early = (delivery: Delivery) => source.receive(delivery);
    this.name = name;
    this.source = source;
    this.reconnecting = reconnecting;
    this.#driver = driver;
    this.#services = services;
    this.#subscriptions = subscriptions;
    this.#connection = new ReconnectingConnection<C>(
      {
        address: driver.server.text,
        connect: (lost, signal) =>
          this.#connect({ lost, signal, deliver: (message) => subscriptions.receive(message, early) }),
        probe: (connection) => subscriptions.probe(connection),
        attach: async (connection) => {
          await subscriptions.attach(connection);
          await source.connected();
        },
        detach: () => {
          subscriptions.detach();
          source.disconnected();
        },
      },
      { ...reconnecting, ...services, lost: () => services.connectionLost?.(name) },
    );
    if (driver.topology) this.createSource = (signal) => this.#createSource(signal);
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#subscriptions.isWanted = true;
    await this.#openConnection(signal);
  }

  /** Connects for calls alone: sources are neither looked for nor declared. */
  async openConnection(signal: AbortSignal): Promise<void> {
    this.#subscriptions.isWanted = false;
    await this.#openConnection(signal);
  }

  async #openConnection(signal: AbortSignal): Promise<void> {
    await this.#connection.open(signal).catch((error: unknown) => this.#rethrow(error));
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.source.stop(cut);
    await this.#connection.close(cut);
  }

  /** Asks the peer over the connection that delivers. One that does not answer in time is made again. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const problem = this.#connection.problem ?? this.source.problem;
    if (problem !== undefined) this.#rethrow(new Failure('connector_refused', problem));
    await this.#connection.check(signal).catch((error: unknown) => this.#rethrow(error));
    return this.source.pause ?? this.#subscriptions.concern;
  }

  async #createSource(signal: AbortSignal): Promise<string | undefined> {
    const ignore = () => undefined;
    if (this.#subscriptions.name === '') return undefined;
    const connection = await this.#connect({ signal, lost: ignore, deliver: ignore }).catch((error: unknown) => {
      throw refusedBy(this.#driver.server.text, error);
    });
    try {
      signal.throwIfAborted();
      return (await this.#subscriptions.create(connection)).join(', ') || undefined;
    } finally {
      await closeGracefully(connection);
    }
  }

  async #connect(options: Omit<ConnectOptions, 'tls'>): Promise<C> {
    const { server, tls } = this.#driver;
    if (!this.#isPrepared) {
      this.#driver.prepare?.();
      this.#tls = await readAccess(server, tls, this.#services);
      this.#isPrepared = true;
    }
    return this.#driver.connect({ ...options, tls: this.#tls });
  }

  #rethrow(error: unknown): never {
    if (error instanceof Failure) throw error.within({ connector: this.name });
    throw error;
  }
}
