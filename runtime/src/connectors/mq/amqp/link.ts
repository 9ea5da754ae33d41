import type { Socket } from 'node:net';
import { type ChannelModel, type ConfirmChannel, connect } from 'amqplib';
import { Failure } from '../../../errors/failure.ts';
import { backoffDelay } from '../../../net/backoff.ts';
import type { TlsMaterial } from '../../../net/tls.ts';
import { withinTime } from '../../../net/within-time.ts';
import type { Clock } from '../../../observe/clock.ts';
import type { Log } from '../../../observe/log.ts';
import type { Address } from './address.ts';

/** Milliseconds in which the broker must say something while a connection is made. */
const silence = 5_000;

/** Milliseconds in which a broker takes leave; a silent one never does. */
const longestLeave = 1_000;

export interface LinkOptions {
  readonly address: Address;
  readonly tls: TlsMaterial | undefined;
  /** Seconds. */
  readonly heartbeat: number;
  readonly connectionName: string;
  readonly product: string;
  /** Milliseconds. */
  readonly reconnectDelay: number;
  readonly maxReconnects: number;
  readonly clock: Clock;
  readonly log: Log;
}

/** What works over the connection. */
export interface LinkUser {
  /** Called with each new connection, which counts as made when it resolves. */
  attach(life: Life): Promise<void>;
  /** The channel is gone: what was not settled over it comes again. */
  detach(): void;
}

/** A connection and its one channel, which confirms what is published over it. */
export interface Life {
  readonly model: ChannelModel;
  readonly channel: ConfirmChannel;
}

/** One connection with one channel, made again whenever it is lost, until it is closed or gives up. */
export class BrokerLink {
  readonly #options: LinkOptions;
  readonly #user: LinkUser;
  readonly #ended = new AbortController();
  #life: Life | undefined;
  #problem = 'it was not opened';

  constructor(options: LinkOptions, user: LinkUser) {
    this.#options = options;
    this.#user = user;
  }

  /** Why there is no connection; undefined while there is one. */
  get problem(): string | undefined {
    return this.#life === undefined ? this.#problem : undefined;
  }

  /** Connects once. Rejects with a Failure that says what was tried. */
  async open(signal: AbortSignal): Promise<void> {
    if (this.#life === undefined) await this.#connect(signal);
  }

  /** Ends this connection and makes another, as when the broker had ended it. */
  renew(reason: string): void {
    if (this.#life !== undefined) this.#lose(this.#life, reason);
  }

  async close(): Promise<void> {
    this.#ended.abort();
    const life = this.#life;
    this.#life = undefined;
    this.#problem = 'it is closed';
    if (life === undefined) return;
    // In this order everything that was sent over the channel reaches the broker.
    await leave(life.model, () => life.channel.close());
  }

  async #connect(signal: AbortSignal): Promise<void> {
    const model = await this.#dial();
    let reason: string | undefined;
    const remember = (error?: Error) => {
      reason = error?.message ?? reason;
    };
    model.on('error', remember);
    try {
      const channel = await model.createConfirmChannel();
      const life: Life = { model, channel };
      const lost = (error?: Error) => {
        remember(error);
        this.#lose(life, reason ?? 'the broker closed the connection');
      };
      model.on('close', lost);
      channel.on('error', remember);
      channel.on('close', () => lost());
      await this.#user.attach(life);
      signal.throwIfAborted();
      if (this.#ended.signal.aborted) throw new Error('it is closed');
      if (reason !== undefined) throw new Error(reason);
      this.#life = life;
    } catch (error) {
      this.#user.detach();
      void leave(model);
      throw error;
    }
  }

  async #dial(): Promise<ChannelModel> {
    const { address, tls, heartbeat, connectionName, product } = this.#options;
    const { protocol, host, port, username, password, vhost } = address;
    try {
      return await connect(
        // The library decodes the name of the virtual host once more.
        { protocol, hostname: host, port, username, password, vhost: encodeURIComponent(vhost), heartbeat },
        {
          ...tls,
          timeout: silence,
          noDelay: true,
          keepAlive: true,
          clientProperties: { product, connection_name: connectionName },
        },
      );
    } catch (error) {
      throw unreachable(address, error);
    }
  }

  #lose(life: Life, reason: string): void {
    if (this.#life !== life) return;
    this.#life = undefined;
    this.#problem = reason;
    this.#user.detach();
    void leave(life.model);
    if (this.#ended.signal.aborted) return;
    this.#options.log.warn('the broker is away; reconnecting', { reason });
    void this.#reconnect();
  }

  async #reconnect(): Promise<void> {
    const { clock, log, reconnectDelay: delay, maxReconnects } = this.#options;
    const { signal } = this.#ended;
    const wait = { kind: 'constant', delay, maxDelay: delay * 1.2, jitter: true } as const;
    for (let attempt = 1; attempt <= maxReconnects; attempt++) {
      try {
        await clock.sleep(backoffDelay(wait, attempt), signal);
        await this.#connect(signal);
        log.info('the broker is back', { attempts: attempt });
        return;
      } catch (error) {
        if (signal.aborted) return;
        this.#problem = textOf(error);
        log.debug('the broker cannot be reached', { attempt, error: this.#problem });
      }
    }
    log.error('the broker stays away: no further attempt is made', { attempts: maxReconnects, error: this.#problem });
  }
}

function unreachable({ host, port }: Address, error: unknown): Failure {
  return new Failure('connector_refused', `${host}:${port}: ${textOf(error)}`, { cause: error });
}

export function textOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Ends a connection in order, or at once when the broker does not answer. Never rejects. */
async function leave(model: ChannelModel, first: () => Promise<unknown> = async () => undefined): Promise<void> {
  const { stream } = (model as unknown as { readonly connection: { readonly stream: Socket } }).connection;
  const end = async () => {
    await first().catch(() => undefined);
    await model.close();
  };
  await withinTime(longestLeave, end).catch(() => stream.destroy());
}
