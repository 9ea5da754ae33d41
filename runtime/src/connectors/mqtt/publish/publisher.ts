import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { ReconnectingConnection } from '../../../platform/net/connection.ts';
import { readAccess, type TlsMaterial } from '../../../platform/net/tls.ts';
import { withinTime } from '../../../platform/net/within-time.ts';
import type { Reconnecting } from '../../intake/broker/connected.ts';
import { addressOf } from '../address.ts';
import { clientOptions } from '../client-options.ts';
import { MqttConnection } from '../connection.ts';
import type { MqttConfig } from '../spec.ts';
import type { OutgoingMessage } from './outgoing.ts';

const ignore = () => undefined;

/** Publishes over a connection of its own, which every process has that publishes. It has no session at the broker. */
export class Publisher {
  readonly #connection: ReconnectingConnection<MqttConnection>;
  readonly #config: MqttConfig;
  readonly #clientId: string;
  readonly #services: ConnectorServices;
  #current: MqttConnection | undefined;
  #tls: { readonly material: TlsMaterial | undefined } | undefined;
  #opening: Promise<void> | undefined;

  constructor(
    clientId: string,
    config: MqttConfig,
    reconnecting: Reconnecting,
    services: ConnectorServices,
    lost: () => void,
  ) {
    this.#config = config;
    this.#clientId = clientId;
    this.#services = services;
    this.#connection = new ReconnectingConnection<MqttConnection>(
      {
        address: addressOf(config).text,
        connect: (lost, signal) => this.#connect(lost, signal),
        probe: (connection) => connection.ping(),
        attach: async (connection) => {
          this.#current = connection;
        },
        detach: () => {
          this.#current = undefined;
        },
      },
      { ...reconnecting, ...services, log: services.log.with({ client_id: clientId }), lost },
    );
  }

  /** Connects once, however often it is asked. */
  open(signal: AbortSignal): Promise<void> {
    this.#opening ??= this.#connection.open(signal).catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  get isOpen(): boolean {
    return this.#opening !== undefined;
  }

  /** A connection over which the broker does not answer is made again. */
  async check(signal: AbortSignal): Promise<void> {
    const late = AbortSignal.timeout(this.#config.connect_timeout);
    await this.#connection.check(AbortSignal.any([signal, late]));
  }

  async close(cut?: AbortSignal): Promise<void> {
    this.#opening = undefined;
    await this.#connection.close(cut);
  }

  /** Rejects with `connector_timeout` after so many milliseconds, with `cancelled` when `caller` fires, and as `Outgoing`. */
  async publish(message: OutgoingMessage, timeout: number, caller: AbortSignal | undefined): Promise<void> {
    if (caller?.aborted) throw gone(caller);
    const { promise: interrupted, reject } = Promise.withResolvers<never>();
    const abort = () => reject(gone(caller));
    caller?.addEventListener('abort', abort, { once: true });
    try {
      await withinTime(timeout, (late) => {
        const signal = caller === undefined ? late : AbortSignal.any([late, caller]);
        return Promise.race([interrupted, this.#publish(message, signal)]);
      });
    } finally {
      caller?.removeEventListener('abort', abort);
    }
  }

  async #publish(message: OutgoingMessage, signal: AbortSignal): Promise<void> {
    await this.open(signal);
    const connection = this.#current;
    if (connection === undefined)
      throw new Failure('connector_refused', this.#connection.problem ?? 'the broker is unavailable');
    await connection.publish(message, signal);
  }

  async #connect(lost: (reason: string) => void, signal: AbortSignal): Promise<MqttConnection> {
    this.#tls ??= { material: await readAccess(addressOf(this.#config), this.#config.tls, this.#services) };
    const options = clientOptions(this.#config, this.#clientId, this.#tls.material);
    const { max_message: mostBytes, max_in_flight: mostInFlight, share_group: group } = this.#config;
    const limits = { mostBytes, mostInFlight, mostHeld: 1, isShared: group !== undefined };
    return MqttConnection.open(options, limits, { lost, signal, deliver: ignore });
  }
}

/** What a message fails with whose caller waits no longer. It may have been sent. */
function gone(caller: AbortSignal | undefined): Failure {
  const reason: unknown = caller?.reason;
  if (reason instanceof Failure) return reason;
  return new Failure('cancelled', 'the request ended before the broker had acknowledged its message', {
    cause: reason,
  });
}
