import type { Redis } from 'ioredis';
import type { Log } from '../../../foundation/observe/log.ts';
import type { ConnectedDriver, ConnectOptions } from '../../intake/broker/connected-driver.ts';
import { channelGlobs } from '../../intake/dispatch/routes.ts';
import { type Channels, channelsOf, isChannelPattern, sourcesOf } from './channels.ts';
import { ChannelConnection, type ListenOptions } from './connection.ts';
import type { PubsubConfig } from './spec.ts';

/** Delivers the messages of channels, for the intake. */
export class ChannelDriver implements ConnectedDriver<ChannelConnection> {
  readonly type = 'kv_pubsub';
  readonly sourceKind = 'channel';
  readonly patterns = channelGlobs;
  readonly isAtMostOnce = true;
  readonly server;
  readonly tls = undefined;
  readonly consumer;
  readonly sources;
  readonly mostBytes: number;
  readonly #named: Channels | undefined;
  readonly #limits: Pick<ListenOptions, 'mostBytes' | 'heartbeat'>;
  readonly #listener: () => Redis;
  readonly #log: Log;
  #isReported = false;

  /** `address` is that of the servers, for people; `listener` makes a client for subscriptions. */
  constructor(config: PubsubConfig, address: string, listener: () => Redis, log: Log) {
    this.server = { text: address, isSecure: false, ignored: [] };
    this.consumer = config;
    this.mostBytes = config.max_message;
    this.#named = channelsOf(config);
    this.sources = this.#named && [...this.#named.channels, ...this.#named.patterns];
    this.#limits = { mostBytes: config.max_message, heartbeat: config.heartbeat };
    this.#listener = listener;
    this.#log = log;
  }

  sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
    return sourcesOf(operations);
  }

  async connect({ lost, deliver }: ConnectOptions): Promise<ChannelConnection> {
    return new ChannelConnection({ ...this.#limits, listener: this.#listener, lost, deliver });
  }

  ping(connection: ChannelConnection): Promise<void> {
    return connection.ping();
  }

  /** A pause does not end it: what the server sends meanwhile would be lost. */
  async subscribe(connection: ChannelConnection, sources: readonly string[]): Promise<void> {
    if (!this.#isReported) this.#log.info('messages are delivered at most once: the server keeps none');
    this.#isReported = true;
    const patterns = sources.filter(isChannelPattern);
    const channels = sources.filter((source) => !isChannelPattern(source));
    await connection.subscribe(this.#named ?? { channels, patterns });
  }
}
