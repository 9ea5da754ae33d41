import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { ConnectorServices } from '../../../foundation/contracts/connector.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import type { Execution } from '../engine.ts';
import type { Bound } from '../statement/bound.ts';
import { type Address, addressOf } from './address.ts';
import type { NodeOptions, ServerNode } from './node.ts';
import { Replicas } from './replicas.ts';
import { poolDefaults, type ServerConfig, type ServerDefaults } from './spec.ts';
import { tlsOptions } from './tls.ts';

/** A primary, and the replicas that take part of its reads. */
interface Servers<N> {
  readonly primary: N;
  readonly replicas: Replicas<N>;
}

/** Runs one statement on any connection of a node. Rejects with a Failure. */
type Execute<N> = (node: N, bound: Bound, execution: Execution, signal: AbortSignal | undefined) => Promise<CallResult>;

/** The servers of one database, each with connections of its own. */
export class Nodes<N extends ServerNode<unknown, never, unknown>> {
  private readonly connector: string;
  private readonly services: ConnectorServices;
  private readonly make: () => Servers<N>;
  private readonly execute: Execute<N>;
  private servers: Servers<N> | undefined;
  private closing: readonly N[] = [];

  /** `make` is called by each `open`. */
  constructor(connector: string, services: ConnectorServices, make: () => Servers<N>, execute: Execute<N>) {
    this.connector = connector;
    this.services = services;
    this.make = make;
    this.execute = execute;
  }

  /**
   * Makes the nodes. `prepare` resolves when the primary can be used; when it rejects, nothing stays open. A replica that
   * cannot be reached is reported in the log.
   */
  async open(prepare: (primary: N, signal: AbortSignal) => Promise<void>, signal: AbortSignal): Promise<void> {
    if (this.servers !== undefined) return;
    const servers = this.make();
    try {
      await prepare(servers.primary, signal);
    } catch (error) {
      await Promise.all(all(servers).map((node) => node.close()));
      throw error;
    }
    this.servers = servers;
    await Promise.all(servers.replicas.nodes.map((node) => this.connect(node, servers.replicas, signal)));
  }

  /** Ends when every connection that is in use was released; when `cut` fires, they are broken. Can be called again. */
  async close(cut?: AbortSignal): Promise<void> {
    const { servers } = this;
    this.servers = undefined;
    if (servers !== undefined) this.closing = all(servers);
    await Promise.all(this.closing.map((node) => node.close(cut)));
  }

  /** Throws a Failure while the database is not open. */
  get primary(): N {
    return this.opened().primary;
  }

  /** Runs a read on a replica, or on the primary when no replica can be reached; everything else on the primary. */
  run(bound: Bound, execution: Execution, signal: AbortSignal | undefined): Promise<CallResult> {
    const servers = this.opened();
    const replica = execution.kind.reads ? servers.replicas.next() : undefined;
    return replica === undefined
      ? this.execute(servers.primary, bound, execution, signal)
      : this.read(servers, replica, bound, execution, signal);
  }

  private async read(
    { primary, replicas }: Servers<N>,
    replica: N,
    bound: Bound,
    execution: Execution,
    signal: AbortSignal | undefined,
  ): Promise<CallResult> {
    try {
      return await this.execute(replica, bound, execution, signal);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'connector_refused') throw error;
      // A read that got no answer can be repeated elsewhere.
      replicas.rest(replica);
      return this.execute(primary, bound, execution, signal);
    }
  }

  private async connect(node: N, replicas: Replicas<N>, signal: AbortSignal): Promise<void> {
    try {
      (await node.acquire(signal)).release();
    } catch (error) {
      replicas.rest(node);
      this.services.log.warn('a read replica cannot be reached', {
        error: error instanceof Error ? error.message : String(error),
      });
    }
  }

  private opened(): Servers<N> {
    if (this.servers !== undefined) return this.servers;
    throw new Failure('connector_refused', `database "${this.connector}" is not open`, {
      at: { connector: this.connector },
    });
  }
}

function all<N>({ primary, replicas }: Servers<N>): readonly N[] {
  return [primary, ...replicas.nodes];
}

/**
 * The servers that a configuration names. `make`: the connections to one of them, none of which is open yet. Throws a
 * Failure when the address or a file of its TLS cannot be used.
 */
export function serversOf<N>(
  connector: string,
  config: ServerConfig,
  services: ConnectorServices,
  defaults: ServerDefaults,
  make: (options: NodeOptions) => N,
): Servers<N> {
  const address = addressOf(connector, config, defaults.port);
  warnOfIgnored(address, services);
  const options: NodeOptions = {
    connector,
    address,
    ssl: tlsOptions(connector, address, services.directory),
    statementTimeout: config.statement_timeout,
    max: config.pool?.max ?? poolDefaults.max,
    min: config.pool?.min ?? poolDefaults.min,
    maxLifetime: config.pool?.max_lifetime ?? defaults.maxLifetime,
    userAgent: services.userAgent,
    log: services.log,
  };
  const replicas = (config.use_replicas ? config.replicas : []).map(({ host, port, weight, max_connections }) => {
    const place = { ...address, host, port: port ?? address.port };
    return { node: make({ ...options, address: place, max: max_connections ?? options.max }), weight };
  });
  return { primary: make(options), replicas: new Replicas(replicas, services.clock) };
}

function warnOfIgnored({ ignored }: Address, { log }: ConnectorServices): void {
  if (ignored.length > 0) log.warn('options of the database url mean nothing here', { options: ignored });
}
