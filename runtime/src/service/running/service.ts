import type { BoundAddress, BuiltinRoute, HttpServices } from '../../foundation/contracts/http.ts';
import { logFile } from '../../foundation/observe/destination.ts';
import { collectProcess, Metrics } from '../../foundation/observe/metrics.ts';
import { temporaryFiles } from '../../platform/content/temporary.ts';
import { TokenBuckets } from '../../platform/net/token-buckets.ts';
import { withinTime } from '../../platform/net/within-time.ts';
import { connectorCounts } from '../../platform/telemetry/connector-counts.ts';
import { FlowMetrics, type FlowOrigin } from '../../platform/telemetry/flow-observer.ts';
import { RequestMetrics } from '../../platform/telemetry/request-metrics.ts';
import { AdminServer } from '../admin/server.ts';
import type { DebugEntryPoint } from '../debug/connection/entry-point.ts';
import { coalesce } from './coalesce.ts';
import type { Generation } from './generation/generation.ts';
import { Leases } from './generation/leases.ts';
import { type Blueprint, type OpenContext, openGeneration } from './generation/open.ts';
import { SharedResources } from './generation/resources.ts';
import { countBacklogs } from './health/backlogs.ts';
import { builtinRoutes } from './health/builtins.ts';
import { HealthMonitor, type HealthReport } from './health/health.ts';
import { collectService } from './health/service-metrics.ts';
import { EventLoopLag } from './http/overload.ts';
import { createRateLimiter } from './http/rate-limiter.ts';
import { Sockets } from './http/sockets.ts';
import { Lifecycle } from './lifecycle.ts';
import { watchingProbe } from './probes.ts';
import { ConfigurationProblem, logDiagnostics, logProblem } from './problems.ts';
import type { ServiceSettings } from './settings.ts';
import type { ServiceSetup, StartReport } from './setup.ts';
import { drainTime, type StopReport, shutDown } from './shutdown.ts';

/** Makes a service that is not started yet. */
export function createService(setup: ServiceSetup): Service {
  return new Service(setup);
}

/** Longest wait for one connector at start, in milliseconds. */
const standardOpenTimeout = 30_000;

/** A service in this process: one generation serves, a reload replaces it, a shutdown ends it. */
export class Service {
  readonly lifecycle = new Lifecycle();
  readonly metrics = new Metrics();
  readonly #counts = connectorCounts(this.metrics);
  readonly #setup: ServiceSetup;
  readonly #health: HealthMonitor;
  readonly #lag: EventLoopLag;
  readonly #leases: Leases;
  readonly #sockets: Sockets;
  readonly #resources: SharedResources;
  readonly #buckets: TokenBuckets;
  readonly #startedAt: number;
  readonly #background = new AbortController();
  readonly #draining = new Set<Promise<void>>();
  readonly #routes: readonly BuiltinRoute[];
  #requests: RequestMetrics | undefined;
  #flows: FlowMetrics | undefined;
  #current: Generation | undefined;
  #admin: AdminServer | undefined;
  #stopping: Promise<StopReport> | undefined;
  /** The last change of what serves; each waits for the one before it. */
  #changing: Promise<unknown> = Promise.resolve();
  readonly #abort = new AbortController();
  /** Loads the configuration again; false when the old one was kept. Never rejects. Requests during a reload share the next one. */
  readonly reload: () => Promise<boolean> = coalesce(() => this.#inTurn(() => this.#reload()));

  constructor(setup: ServiceSetup) {
    this.#setup = setup;
    const { clock, log } = setup;
    this.#startedAt = clock.elapsed();
    this.#health = new HealthMonitor(clock, log, {
      log: () => logFile.problem,
      temporary_files: () => temporaryFiles.problem,
      captured_messages: () => setup.capture?.problem,
    });
    this.#lag = new EventLoopLag(clock);
    this.#leases = new Leases(log);
    this.#resources = new SharedResources(log);
    this.#sockets = new Sockets(
      setup.createListener,
      log,
      (connector, reason) => void this.metrics.families.connectionsCut.of(connector, reason).value++,
    );
    this.#buckets = new TokenBuckets(clock);
    setup.debug?.serve(() => this.#current, this.metrics);
    this.#routes = builtinRoutes({
      report: () => this.report(),
      metrics: () => this.metrics.text(),
      identity: () => this.identity(),
      ...setup.builtins,
    });
  }

  /**
   * Loads, opens and listens; resolves when messages are accepted. Rejects with a ConfigurationProblem, an
   * UnreachableProblem or the Failure of a port that cannot be bound; nothing is open then.
   */
  async start(): Promise<StartReport> {
    const { clock, log } = this.#setup;
    const blueprint = await this.#load(1);
    const { settings } = blueprint;
    this.#requests = new RequestMetrics(this.metrics, settings.name);
    this.#flows = new FlowMetrics(this.metrics, log, settings.name);
    const [bound, opened] = await Promise.allSettled([
      this.#openAdmin(settings),
      openGeneration(blueprint, undefined, this.#contextFor(settings)),
    ]);
    if (bound.status === 'rejected' || opened.status === 'rejected') {
      if (opened.status === 'fulfilled') await opened.value.release();
      await this.#admin?.close();
      throw opened.status === 'rejected' ? opened.reason : (bound as PromiseRejectedResult).reason;
    }
    const generation = opened.value;
    try {
      await this.#sockets.open(generation.edges);
      await generation.startSources(this.#setup.debug?.gate);
      this.#refuseWhenEnding();
    } catch (error) {
      await this.#sockets.close(AbortSignal.abort());
      await Promise.all([generation.release(), this.#admin?.close()]);
      throw error;
    }
    this.#use(generation);
    this.#lag.start();
    collectProcess(this.metrics, () => this.#lag.milliseconds);
    collectService(this.metrics, () => this.#state());
    void this.#flows.countPerSecond(clock, this.#background.signal);
    void countBacklogs(() => this.#current?.events ?? new Map(), this.metrics, clock, this.#background.signal);
    this.lifecycle.enter('running');
    return {
      settings,
      addresses: this.#sockets.addresses,
      admin: bound.value,
      connectors: generation.connectors.size,
      flows: generation.plan.flows.length,
      took: clock.elapsed() - this.#startedAt,
    };
  }

  /** Stops in order and in time; never rejects. A second call aborts what the first one waits for. */
  stop(): Promise<StopReport> {
    if (this.#stopping !== undefined) this.#abort.abort();
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  /**
   * Of the connectors that run in one process of the service, exactly these run here from now on; those that no
   * configuration has yet run as soon as one has them. Returns the reasons of those that cannot be opened. Never
   * rejects.
   */
  place(connectors: readonly string[]): Promise<Readonly<Record<string, string>>> {
    return this.#inTurn(() => this.#place(connectors));
  }

  /** The debugger of this process; undefined when it was created without one. */
  get debug(): DebugEntryPoint | undefined {
    return this.#setup.debug;
  }

  /** The health of this process. */
  report(): HealthReport {
    const { phase, ending } = this.lifecycle;
    const notReady = phase === 'starting' ? 'starting' : ending ? 'shutting down' : undefined;
    return { notReady, components: this.#health.components() };
  }

  identity() {
    const { clock, production } = this.#setup;
    const { name, version } = this.#current?.settings ?? { name: '', version: '' };
    const uptime = Math.floor((clock.elapsed() - this.#startedAt) / 1000);
    return { service: name, version, uptime, timestamp: new Date(clock.now()).toISOString(), production };
  }

  /** Requests and flow executions that are not finished. */
  get underWay(): number {
    return Math.max(this.#requests?.inFlight ?? 0, this.#flows?.active ?? 0);
  }

  /** Where the flows in use get their messages from. */
  get origins(): ReadonlyMap<string, FlowOrigin> {
    return this.#current?.origins ?? new Map();
  }

  /** Where each HTTP connector listens. */
  get addresses(): ReadonlyMap<string, BoundAddress> {
    return this.#sockets.addresses;
  }

  /** What is opened after shutting down has begun is closed again. */
  #refuseWhenEnding(): void {
    if (this.lifecycle.ending) throw new Error('the service is shutting down');
  }

  #inTurn<T>(change: () => Promise<T>): Promise<T> {
    const changed = this.#changing.then(change);
    this.#changing = changed.catch(() => undefined);
    return changed;
  }

  async #place(connectors: readonly string[]): Promise<Readonly<Record<string, string>>> {
    const { placement, log, debug, openTimeout = standardOpenTimeout } = this.#setup;
    const generation = this.#current;
    if (placement === undefined || generation === undefined || this.lifecycle.ending) return {};
    const failed = await placement.move(connectors, generation, log, (name) =>
      generation.begin(name, debug?.gate, openTimeout),
    );
    this.#health.watch(generation.watched);
    return failed;
  }

  async #load(number: number): Promise<Blueprint> {
    const { files, diagnostics, ready } = await this.#setup.load();
    if (ready === undefined) throw new ConfigurationProblem(diagnostics, files);
    if (this.#setup.tellWarnings !== false) logDiagnostics(this.#setup.log, diagnostics, files);
    return { number, diagnostics, ...ready };
  }

  async #reload(): Promise<boolean> {
    const old = this.#current;
    if (this.lifecycle.phase !== 'running' || old === undefined) return false;
    const { log, clock } = this.#setup;
    const began = clock.elapsed();
    let next: Generation | undefined;
    try {
      const blueprint = await this.#load(old.number + 1);
      next = await openGeneration(blueprint, old, this.#contextFor(blueprint.settings));
      this.#refuseWhenEnding();
      await this.#sockets.open(next.edges);
      await next.startSources(this.#setup.debug?.gate);
      await this.#moveAdmin(old.settings, next.settings);
      this.#refuseWhenEnding();
      await next.handOver(this.#setup.debug?.gate);
    } catch (error) {
      this.metrics.families.reloadFailures.of().value++;
      logProblem(log, error);
      log.error('reload failed, the earlier configuration keeps serving', { error });
      if (next !== undefined) await this.#abandon(next, old);
      return false;
    }
    next.takeOver();
    this.#use(next);
    this.#sockets.swap(next.edges);
    this.metrics.families.reloads.of().value++;
    this.#drainInBackground(old);
    log.info('reloaded', {
      generation: next.number,
      kept: [...next.connectors].filter(([name, { connector }]) => old.connectors.get(name)?.connector === connector)
        .length,
      took: `${Math.round(clock.elapsed() - began)}ms`,
    });
    return true;
  }

  async #abandon(next: Generation, old: Generation): Promise<void> {
    const cut = AbortSignal.abort();
    await (this.lifecycle.ending ? this.#sockets.close(cut) : this.#sockets.closeUnused(old.edges, cut));
    await withinTime(drainTime(next.settings.shutdown), (signal) => next.stopSources(signal, old)).catch(
      () => undefined,
    );
    await next.release();
  }

  #use(generation: Generation): void {
    this.#current = generation;
    void this.#setup.debug?.gate.follow();
    this.#flows?.describe(generation.origins);
    this.#health.watch(generation.watched);
    this.#setup.afterUse?.(generation).catch((error: unknown) => {
      this.#setup.log.warn('the work after a change of configuration failed', { error });
    });
  }

  /** The old generation finishes its work within its own limit while the new one serves. */
  #drainInBackground(old: Generation): void {
    const { clock, log } = this.#setup;
    const cut = new AbortController();
    const over = new AbortController();
    const drained = (async () => {
      const late = clock.sleep(old.settings.shutdown.timeout, over.signal).then(
        () => {
          log.error('cut off what an earlier configuration did not finish in time', { generation: old.number });
          cut.abort();
        },
        () => undefined,
      );
      const stopped = Promise.all([
        this.#sockets.closeUnused(this.#current?.edges ?? [], cut.signal),
        old.stopSources(cut.signal, this.#current),
      ]).catch((error: unknown) => log.warn('an earlier configuration did not stop cleanly', { error }));
      await Promise.race([stopped, late]);
      over.abort();
      await old.release();
    })();
    this.#draining.add(drained);
    void drained.finally(() => this.#draining.delete(drained));
  }

  async #stop(): Promise<StopReport> {
    const { clock, log } = this.#setup;
    const { delay, timeout } = this.#current?.settings.shutdown ?? { delay: 0, timeout: 30_000 };
    let drained: Promise<void> | undefined;
    return shutDown(
      {
        lifecycle: this.lifecycle,
        clock,
        log,
        delay,
        timeout,
        underWay: () => this.underWay,
        retire: () => this.#sockets.retire(),
        drain: (cut) => (drained ??= this.#drain(cut)),
        closeTargets: async () => (await this.#current?.release()) ?? true,
        closeRest: async () => {
          this.#background.abort();
          this.#health.stop();
          this.#lag.stop();
          await this.#admin?.close();
        },
      },
      this.#abort.signal,
    );
  }

  async #drain(cut: AbortSignal): Promise<void> {
    // What a debugger has paused could not settle.
    const released = this.#setup.debug?.close();
    await Promise.all([released, this.#sockets.close(cut), this.#current?.stopSources(cut), ...this.#draining]);
  }

  async #openAdmin(settings: ServiceSettings): Promise<BoundAddress | undefined> {
    const { admin = true, log, debug } = this.#setup;
    if (!admin) return undefined;
    const { adminHost: host, adminPort: port } = settings;
    const server = new AdminServer({ port, host, routes: this.#routes, log, debug });
    const address = await server.listen();
    this.#admin = server;
    return address;
  }

  async #moveAdmin(before: ServiceSettings, after: ServiceSettings): Promise<void> {
    if (before.adminPort === after.adminPort && before.adminHost === after.adminHost) return;
    const old = this.#admin;
    const address = await this.#openAdmin(after);
    if (address !== undefined) this.#setup.log.info('admin server moved', { port: address.port });
    void old?.close();
  }

  #contextFor(settings: ServiceSettings): OpenContext {
    const { log, clock, environment, production, directory, productVersion, capture } = this.#setup;
    const given = { log, clock, environment, production, directory, capture };
    const userAgent = `svc/${productVersion}`;
    return {
      services: { ...given, service: settings.name, userAgent, ...this.#counts },
      http: this.#httpFor(settings),
      observer: this.#flows as FlowMetrics,
      probe: watchingProbe(this.#setup),
      leases: this.#leases,
      resources: this.#resources,
      families: this.metrics.families,
      degrade: (part, message) => this.#health.degrade(part, message),
      openTimeout: this.#setup.openTimeout ?? standardOpenTimeout,
      placement: this.#setup.placement,
    };
  }

  #httpFor({ rateLimit, trustedProxies }: ServiceSettings): HttpServices {
    const { clock, log, share = 1 } = this.#setup;
    const storage = () =>
      rateLimit?.storage === undefined
        ? undefined
        : this.#current?.connectors.get(rateLimit.storage)?.connector.storage;
    const storeAway = (away: boolean) => {
      if (away) this.metrics.families.rateLimitStoreErrors.of().value++;
      this.#health.degrade(
        'rate_limit',
        away ? 'the shared store is unavailable, each process limits alone' : undefined,
      );
    };
    return {
      builtins: this.#routes,
      rateLimiter:
        rateLimit && createRateLimiter(rateLimit, share, { buckets: this.#buckets, clock, log, storage, storeAway }),
      observer: this.#requests as RequestMetrics,
      overloaded: () => this.#lag.tooLong,
      trustedProxies,
    };
  }

  #state() {
    const { clock, environment, productVersion } = this.#setup;
    return {
      generation: this.#current,
      uptime: (clock.elapsed() - this.#startedAt) / 1000,
      tasks: (this.#flows?.active ?? 0) + this.#health.tasks + this.#draining.size + (this.#current?.tasks ?? 0),
      environment,
      productVersion,
      isUp: (connector: string) => this.#health.isUp(connector),
    };
  }
}
