import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { Backoff } from '../../../../platform/net/backoff.ts';
import type { ConnectedDriver, ConnectOptions } from '../../../intake/broker/connected-driver.ts';
import type { PatternGrammar } from '../../../intake/dispatch/routes.ts';
import type { Peer } from '../call.ts';
import type { EventServer } from '../event-server.ts';
import { type ClientConfig, type SubscriptionSettings, subscriptionsBlock } from '../spec.ts';
import { EventConnection } from './connection.ts';

/** What the driver is made with. */
export interface DriverOptions {
  readonly connector: string;
  readonly config: ClientConfig;
  readonly settings: SubscriptionSettings;
  readonly server: EventServer;
  /** Waits before a subscription that ended is begun again. */
  readonly backoff: Backoff;
  readonly peer: () => Peer;
  readonly services: ConnectorServices;
}

/** Operations name one subscription each. */
const subscriptions: PatternGrammar = { separator: undefined, one: undefined, many: undefined, everyMatch: false };

/** Delivers the events of subscriptions, for the intake. The server keeps none. */
export class SubscriptionDriver implements ConnectedDriver<EventConnection> {
  readonly type = 'graphql_client';
  readonly sourceKind = 'subscription';
  readonly patterns = subscriptions;
  readonly isAtMostOnce = true;
  readonly sources = undefined;
  readonly server;
  readonly tls;
  readonly consumer;
  readonly #options: DriverOptions;
  #isReported = false;

  constructor(options: DriverOptions) {
    const { config, settings, server } = options;
    this.server = server;
    this.tls = config.tls;
    this.consumer = settings;
    this.#options = options;
  }

  sourcesOf(operations: readonly (string | undefined)[]): readonly string[] {
    return [...new Set(operations.flatMap((operation) => operation || []))];
  }

  async connect(options: ConnectOptions): Promise<EventConnection> {
    const { connector, config, settings, server, backoff, peer, services } = this.#options;
    const { headers, queryKey, tokens } = peer();
    const token = await tokens?.get();
    const sent = new Map(headers);
    if (token !== undefined) sent.set('authorization', `Bearer ${token}`);
    const url = new URL(server.url);
    if (queryKey !== undefined) url.searchParams.set(queryKey.name, queryKey.value);
    return EventConnection.open(
      {
        url: url.href,
        headers: settings.credentials === 'message' ? publicOf(sent) : sent,
        params: {
          ...(settings.credentials === 'upgrade' ? {} : paramsOf(sent, config)),
          ...Object.fromEntries((settings.connection_params?.fields ?? []).map(({ name, value }) => [name, value])),
        },
        keepAlive: settings.keep_alive_interval,
        connectTimeout: settings.connect_timeout,
        mostBytes: settings.max_message,
        errors: config.errors,
        backoff,
        clock: services.clock,
        log: services.log,
        counts: services.sources?.of(connector, this.type),
        refused: () => token !== undefined && tokens?.refused(token),
      },
      options,
    );
  }

  ping(connection: EventConnection): Promise<void> {
    return connection.ping();
  }

  concern(connection: EventConnection): string | undefined {
    return connection.concern;
  }

  /** A pause does not end it: what the server sends meanwhile would be lost. */
  async subscribe(connection: EventConnection, operations: readonly string[]): Promise<void> {
    if (!this.#isReported) this.#options.services.log.info('events are delivered at most once: the server keeps none');
    this.#isReported = true;
    connection.follow(operations);
    // What was sent before the answer has reached the server.
    await connection.ping();
  }
}

/** What every request has, whatever its credentials are. */
const ofEveryRequest = new Set(['user-agent', 'accept-encoding']);

function publicOf(headers: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  return new Map([...headers].filter(([name]) => ofEveryRequest.has(name)));
}

/** The headers in the spelling in which they are written. */
function paramsOf(headers: ReadonlyMap<string, string>, { auth, headers: written }: ClientConfig) {
  const names = ['Authorization', auth?.api_key_header ?? '', ...(written?.fields.map(({ name }) => name) ?? [])];
  const spelled = new Map(names.map((name) => [name.toLowerCase(), name]));
  return Object.fromEntries(
    [...headers]
      .filter(([name]) => !ofEveryRequest.has(name))
      .map(([name, value]) => [spelled.get(name) ?? name, value]),
  );
}

/** The settings of a block that may be absent. */
export function subscriptionDefaults(written: SubscriptionSettings | undefined): SubscriptionSettings {
  if (written !== undefined) return written;
  const standard = Object.entries(subscriptionsBlock.attributes).map(([name, { default: value }]) => [name, value]);
  return Object.fromEntries(standard) as unknown as SubscriptionSettings;
}
