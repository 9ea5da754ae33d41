import type { Connector, ConnectorServices, Factory } from '../../../foundation/contracts/connector.ts';
import type { Binding, BoundFlows, Source } from '../../../foundation/contracts/source.ts';
import type { Execute, Target } from '../../../foundation/contracts/target.ts';
import { asFailure } from '../../../foundation/errors/classify.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { codecOf } from '../../../platform/formats/registry.ts';
import { accessOf, baseAddress } from '../../../platform/net/client/access.ts';
import { isTriedOnce, type RetryPolicy } from '../../../platform/net/client/retry.ts';
import type { HttpSender } from '../../../platform/net/request.ts';
import { readTls } from '../../../platform/net/tls.ts';
import { ConnectedSource } from '../../intake/broker/connected.ts';
import { type Document, GraphqlCall, type GraphqlDescription, type Peer } from './call.ts';
import { eventServerOf } from './event-server.ts';
import { GraphqlFailure } from './failure.ts';
import { parsedDocument } from './parsed.ts';
import type { ClientConfig, graphqlClient } from './spec.ts';
import type { EventConnection } from './subscription/connection.ts';
import { SubscriptionDriver, subscriptionDefaults } from './subscription/driver.ts';

export const create: Factory<typeof graphqlClient> = (name, config, services) =>
  new GraphqlClient(name, config, services);

/** Asks one GraphQL server over HTTP, and takes its events over a WebSocket when flows want them. */
class GraphqlClient implements Connector {
  readonly name: string;
  readonly source: Source;
  readonly target: Target;
  readonly #config: ClientConfig;
  readonly #services: ConnectorServices;
  readonly #endpoint: URL;
  readonly #retry: RetryPolicy;
  readonly #subscriber: ConnectedSource<EventConnection>;
  readonly #connectTimeout: number;
  #client: HttpSender | undefined;
  #peer: Peer | undefined;
  /** Whether the subscriber is this process's to open. */
  #isHere = false;
  #hasFlows = false;
  /** Mutations that have one attempt whatever `retry_count` says, until that is logged. */
  readonly #triedOnce = new Set<string>();

  constructor(name: string, config: ClientConfig, services: ConnectorServices) {
    this.name = name;
    this.#config = config;
    this.#services = services;
    this.#endpoint = baseAddress(config.endpoint, 'endpoint');
    const { retry_count: attempts, retry_delay: delay } = config;
    this.#retry = { attempts, delay, maxDelay: delay * 1.2, kind: 'constant', unsafe: false, jitter: true };
    const settings = subscriptionDefaults(config.subscriptions);
    const { max_reconnect_interval: maxDelay, connect_timeout: connectTimeout } = settings;
    this.#connectTimeout = connectTimeout;
    const backoff = { kind: 'exponential', delay: Math.min(1000, maxDelay), maxDelay, jitter: true } as const;
    const driver = new SubscriptionDriver({
      connector: name,
      config,
      settings,
      server: eventServerOf(this.#endpoint, settings.path),
      backoff,
      peer: () => this.#opened(),
      services,
    });
    const reconnecting = { backoff, mostAttempts: Number.POSITIVE_INFINITY };
    this.#subscriber = new ConnectedSource(name, driver, reconnecting, services);
    const { source } = this.#subscriber;
    this.source = {
      events: source.events,
      bind: (bindings) => this.#bind(bindings),
      start: () => source.start(),
      stop: (cut) => source.stop(cut),
    };
    this.target = { prepare: (call) => this.#prepare(call as GraphqlDescription) };
  }

  async open(signal: AbortSignal): Promise<void> {
    this.#isHere = true;
    await this.openTarget();
    if (this.#hasFlows) await this.#subscriber.open(signal);
  }

  /** Reads certificates. The server may still be unavailable, and so may the provider of its access tokens. */
  async openTarget(): Promise<void> {
    if (this.#peer !== undefined) return;
    const { auth, headers, timeout, max_response: maxResponse, errors, persisted } = this.#config;
    const tls = await readTls(this.#config.tls, this.#services);
    const written = {
      name: this.name,
      base: this.#endpoint,
      auth,
      headers,
      tls,
      timeout,
      maxResponse,
      retry: this.#retry,
    };
    const access = await accessOf(written, this.#services);
    this.#client = access.client;
    const path = withKey(this.#endpoint.pathname + this.#endpoint.search, access.queryKey);
    this.#peer = { ...access, name: this.name, path, errors, persisted, json: await codecOf('json') };
    this.#announce();
  }

  async close(cut?: AbortSignal): Promise<void> {
    await this.closeSource(cut);
    this.#peer = undefined;
    await this.#client?.close(cut);
  }

  async closeSource(cut?: AbortSignal): Promise<void> {
    this.#isHere = false;
    await this.#subscriber.close(cut);
  }

  /** Asks the server over HTTP, and over the connection of the events where there is one. */
  async check(signal: AbortSignal): Promise<string | undefined> {
    const asked = [this.#ask(signal), this.#isHere && this.#hasFlows ? this.#subscriber.check(signal) : undefined];
    // Both are asked, so that a silent connection is made again.
    await Promise.allSettled(asked);
    const [, reason] = await Promise.all(asked);
    return reason;
  }

  /** Any answer of a GraphQL server that does not refuse the credentials means that it is available. */
  async #ask(signal: AbortSignal): Promise<undefined> {
    const peer = { ...this.#opened(), persisted: false, retry: { ...this.#retry, attempts: 1 } };
    const call = new GraphqlCall(() => peer, typename, { ...checking, timeout: undefined });
    await call.answer({ signal }).catch((error: unknown) => {
      const at = { connector: this.name };
      if (signal.aborted) throw new Failure('connector_timeout', `${peer.origin} does not answer`, { at });
      const status = error instanceof GraphqlFailure ? (error.upstream?.status ?? 500) : 500;
      if (status === 401 || status === 403 || status >= 500) throw asFailure(error, at);
    });
  }

  /** A configuration that is the first with events connects; nothing is subscribed to before it is in use. */
  #bind(bindings: readonly Binding[]): BoundFlows {
    if (bindings.length === 0 && !this.#hasFlows) return noFlows;
    const isNew = !this.#hasFlows;
    this.#hasFlows = true;
    const bound = this.#subscriber.source.bind(bindings);
    return {
      ...bound,
      prepare: async () => {
        await bound.prepare();
        if (isNew && this.#isHere) await this.#subscriber.open(AbortSignal.timeout(this.#connectTimeout));
      },
    };
  }

  #prepare(description: GraphqlDescription): Execute {
    const { operation, target, flow, label } = description;
    const document = parsedDocument(operation ?? target, this.name);
    if (isTriedOnce(this.#retry, document.type === 'query', [...this.#headerNames(), ...(description.headers ?? [])]))
      this.#announce(`${flow}: ${label}`);
    const call = new GraphqlCall(() => this.#opened(), document, description);
    return (request) => call.execute(request);
  }

  #headerNames(): readonly string[] {
    return this.#config.headers?.fields.map(({ name }) => name) ?? [];
  }

  /** Logs which mutations are not repeated: all in one line at start, new ones with each reload. */
  #announce(...places: readonly string[]): void {
    for (const place of places) this.#triedOnce.add(place);
    if (this.#peer === undefined || this.#triedOnce.size === 0) return;
    this.#services.log.warn(
      'mutations are not repeated once they were sent: send the header Idempotency-Key where the server recognises it',
      { calls: [...this.#triedOnce].join(', ') },
    );
    this.#triedOnce.clear();
  }

  #opened(): Peer {
    if (this.#peer) return this.#peer;
    throw new Failure('connector_refused', `connector "${this.name}" is not open`, { at: { connector: this.name } });
  }
}

const typename: Document = {
  type: 'query',
  name: undefined,
  variables: [],
  keys: ['__typename'],
  text: '{ __typename }',
};
const checking = {
  verb: 'call',
  operation: typename.text,
  target: undefined,
  query: undefined,
  exact: false,
  flow: '',
  label: 'health',
} as const;

function withKey(path: string, key: Peer['queryKey']): string {
  if (key === undefined) return path;
  const { name, value } = key;
  return `${path}${path.includes('?') ? '&' : '?'}${encodeURIComponent(name)}=${encodeURIComponent(value)}`;
}

/** Of a connector that is only called. */
const noFlows: BoundFlows = {
  prepare: async () => undefined,
  use: () => undefined,
  ended: async () => undefined,
};
