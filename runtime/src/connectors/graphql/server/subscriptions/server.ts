import type { Values } from '@svc/protocol/schema';
import type { ConnectorServices } from '../../../../foundation/contracts/connector.ts';
import type { HttpUpgrade } from '../../../../foundation/contracts/http.ts';
import type { SubscriptionCounts } from '../../../../foundation/contracts/observer.ts';
import type { Binding, BoundFlows } from '../../../../foundation/contracts/source.ts';
import type { Target } from '../../../../foundation/contracts/target.ts';
import { fired } from '../../../../platform/net/fired.ts';
import { parseField } from '../../operation.ts';
import type { ErrorForm } from '../execution/errors.ts';
import type { graphqlServer } from '../spec.ts';
import { CredentialPlaces } from './credentials.ts';
import { EventStreams } from './event-stream.ts';
import { publishTarget } from './publish.ts';
import { SocketServer } from './socket-server.ts';
import { subscriptionDefaults } from './spec.ts';
import { type SubscriptionConfiguration, Subscriptions } from './subscriptions.ts';
import { UnderWay } from './under-way.ts';

type Settings = Pick<Values<typeof graphqlServer.config>, 'subscriptions' | 'auth' | 'timeout'>;

/** How long a client may take to say who it is, in milliseconds; less where `connection_timeout` is. */
const initTimeout = 10_000;
/** Bytes that are held for a client that takes too little: written and not taken, and events that wait besides. */
const mostUnsent = 1_048_576;
/** Messages of one client, and their bytes of all clients, that wait before no more are read. */
const maxWaiting = 16;
const maxBacklog = 67_108_864;

const uncounted: SubscriptionCounts = {
  connected: () => undefined,
  subscribed: () => undefined,
  delivered: () => undefined,
  dropped: () => undefined,
};

/** Everything about subscriptions of one connector: it outlives configurations while its block stays the same. */
export class SubscriptionServer {
  readonly target: Target;
  /** Where clients connect, and what streams events; undefined where callers may not subscribe. */
  readonly sockets: SocketServer | undefined;
  readonly streams: EventStreams | undefined;
  readonly #subscriptions: Subscriptions;
  /** Operations over connections that began with the flows in use. */
  #underWay = new UnderWay();

  constructor(
    name: string,
    { subscriptions, auth, timeout }: Settings,
    services: ConnectorServices,
    errors: ErrorForm,
  ) {
    const { log, clock, production, connectionCut } = services;
    const { enabled, path, keep_alive_interval, connection_timeout, max_clients, max_subscriptions } =
      subscriptions ?? subscriptionDefaults;
    const counts = services.subscriptions?.of(name) ?? uncounted;
    this.#subscriptions = new Subscriptions({ log, errors, elapsed: () => clock.elapsed() }, counts);
    this.target = publishTarget(name, this.#subscriptions.topics);
    if (!enabled) return;
    const now = () => clock.now();
    const silence = Math.max(connection_timeout, 2 * keep_alive_interval);
    const shared = { errors, now, mostHeld: mostUnsent };
    this.sockets = new SocketServer(
      {
        ...shared,
        production,
        log,
        path,
        timeout,
        places: new CredentialPlaces(auth),
        pingInterval: keep_alive_interval,
        pongTimeout: silence - keep_alive_interval,
        initTimeout: Math.min(initTimeout, silence),
        mostClients: max_clients,
        mostSubscriptions: max_subscriptions,
        maxUnsent: mostUnsent,
        maxWaiting,
        maxBacklog,
        elapsed: () => clock.elapsed(),
        cut: (reason) => connectionCut?.(name, reason),
      },
      this.#subscriptions,
      () => this.#underWay,
      counts,
    );
    const streams = { ...shared, keepAlive: keep_alive_interval, mostClients: max_clients };
    this.streams = new EventStreams(streams, this.#subscriptions, counts);
  }

  get upgrade(): HttpUpgrade | undefined {
    return this.sockets?.upgrade;
  }

  async open(): Promise<void> {
    await this.sockets?.open();
    this.streams?.open();
  }

  /** Tells everybody to connect again. What is asked is answered first, and events are handed over, unless `cut` fires. */
  async close(cut?: AbortSignal): Promise<void> {
    const settled = Promise.all([this.#underWay.idle(), this.#subscriptions.topics.idle()]);
    await Promise.race([settled, fired(cut)]);
    this.streams?.close();
    await this.sockets?.close();
  }

  /** Prepares to ask the flows of a configuration. */
  bind(bindings: readonly Binding[], prepare: SubscriptionConfiguration['prepare']): Pick<BoundFlows, 'use' | 'ended'> {
    const flows = new Map<string, Binding>();
    for (const binding of bindings) {
      const parsed = parseField(binding.operation ?? '');
      if (parsed?.type === 'Subscription' && !flows.has(parsed.field)) flows.set(parsed.field, binding);
    }
    const underWay = new UnderWay();
    return {
      use: () => {
        this.#underWay = underWay;
        this.#subscriptions.use({ prepare, flows });
      },
      ended: () => underWay.idle(),
    };
  }
}
