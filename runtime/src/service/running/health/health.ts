import type { BuiltinAnswer } from '../../../foundation/contracts/http.ts';
import type { Resource, WatchedResource } from '../../../foundation/contracts/plan.ts';
import type { Clock } from '../../../foundation/observe/clock.ts';
import type { Log } from '../../../foundation/observe/log.ts';
import { errorText } from '../../../foundation/observe/mask.ts';

export type HealthStatus = 'healthy' | 'degraded' | 'unhealthy';

/** What is known of one part of the service. */
export interface ComponentHealth {
  readonly status: HealthStatus;
  readonly latency_ms: number;
  readonly message?: string;
}

/** The health of a service, as data: the body of `/health` is made of it, and several processes merge it. */
export interface HealthReport {
  /** Why it is not ready; undefined when it is. */
  readonly notReady: string | undefined;
  readonly components: Readonly<Record<string, ComponentHealth>>;
}

/** Parts that know by themselves why they work with reduced function, by name; each answers undefined when it does not. */
export type HealthParts = Readonly<Record<string, () => string | undefined>>;

/** Milliseconds. */
const checkEvery = 5_000;
const checkLimit = 5_000;
const overdueAfter = 10_000;
const slowAfter = 1_000;

interface Component {
  readonly connector: Resource;
  name: string;
  optional: boolean;
  readonly stop: AbortController;
  health: ComponentHealth;
  /** When the last check ended. */
  checkedAt: number;
}

/** Checks connectors in the background, so that requests are answered at once with the last results. */
export class HealthMonitor {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #components = new Map<Resource, Component>();
  readonly #degradations = new Map<string, string>();
  readonly #parts: HealthParts;

  /** `parts` are asked whenever the results are. */
  constructor(clock: Clock, log: Log, parts: HealthParts = {}) {
    this.#clock = clock;
    this.#log = log;
    this.#parts = parts;
  }

  /** Checks that are running, for the count of background tasks. */
  get tasks(): number {
    return [...this.#components.values()].filter(({ connector }) => connector.check !== undefined).length;
  }

  /**
   * Watches exactly these connectors and shared resources, all open, from now on. Those that are already watched keep
   * their results.
   */
  watch(resources: Iterable<WatchedResource>): void {
    const wanted = new Map([...resources].map((one) => [one.resource, one]));
    for (const [connector, { stop }] of this.#components) {
      if (wanted.has(connector)) continue;
      stop.abort();
      this.#components.delete(connector);
    }
    for (const [connector, { name, optional }] of wanted) {
      const known = this.#components.get(connector);
      if (known === undefined) this.#add(connector, name, optional);
      else Object.assign(known, { name, optional });
    }
  }

  /** Whether the part of this name passed its last check, whatever its effect on the service. */
  isUp(name: string): boolean {
    const now = this.#clock.elapsed();
    return ![...this.#components.values()].some(
      (one) => one.name === name && resultOf(one, now).status === 'unhealthy',
    );
  }

  /** A part works with reduced function; undefined when it works completely again. */
  degrade(part: string, message: string | undefined): void {
    if (message === undefined) this.#degradations.delete(part);
    else this.#degradations.set(part, message);
  }

  /** The results by name. A check that is overdue counts as failed; an optional part degrades the service at most. */
  components(): Record<string, ComponentHealth> {
    const now = this.#clock.elapsed();
    const all: Record<string, ComponentHealth> = {};
    for (const component of this.#components.values()) {
      const result = resultOf(component, now);
      const tolerated = component.optional && result.status === 'unhealthy';
      all[component.name] = tolerated ? { ...result, status: 'degraded' } : result;
    }
    for (const [part, problem] of Object.entries(this.#parts)) {
      const message = problem();
      if (message !== undefined) all[part] = { status: 'degraded', latency_ms: 0, message };
    }
    for (const [part, message] of this.#degradations) all[part] = { status: 'degraded', latency_ms: 0, message };
    return all;
  }

  stop(): void {
    this.watch([]);
  }

  #add(connector: Resource, name: string, optional: boolean): void {
    const component: Component = {
      connector,
      name,
      optional,
      stop: new AbortController(),
      health: { status: 'healthy', latency_ms: 0 },
      checkedAt: this.#clock.elapsed(),
    };
    this.#components.set(connector, component);
    if (connector.check !== undefined) void this.#checkAgainAndAgain(component);
  }

  async #checkAgainAndAgain(component: Component): Promise<void> {
    const { signal } = component.stop;
    while (!signal.aborted) {
      const health = await this.#check(component.connector, signal);
      if (signal.aborted) return;
      const { name } = component;
      if (health.status === 'unhealthy' && component.health.status !== 'unhealthy')
        this.#log.warn('connector is unhealthy', { connector: name, error: health.message });
      if (health.status !== 'unhealthy' && component.health.status === 'unhealthy')
        this.#log.info('connector is healthy again', { connector: name });
      component.health = health;
      component.checkedAt = this.#clock.elapsed();
      await this.#clock.sleep(checkEvery, signal).catch(() => undefined);
    }
  }

  async #check(connector: Resource, stop: AbortSignal): Promise<ComponentHealth> {
    const started = this.#clock.elapsed();
    const limit = new AbortController();
    const signal = AbortSignal.any([stop, limit.signal]);
    const done = new AbortController();
    try {
      const reason = await Promise.race([
        connector.check?.(signal),
        this.#clock.sleep(checkLimit, AbortSignal.any([stop, done.signal])).then((): never => {
          const late = new Error(`no response within ${checkLimit / 1000} s`);
          limit.abort(late);
          throw late;
        }),
      ]);
      const latency = Math.round(this.#clock.elapsed() - started);
      const reported = typeof reason === 'string' ? reason : undefined;
      const message = reported ?? (latency > slowAfter ? `the check took ${latency} ms` : undefined);
      return message === undefined
        ? { status: 'healthy', latency_ms: latency }
        : { status: 'degraded', latency_ms: latency, message };
    } catch (error) {
      const latency = Math.round(this.#clock.elapsed() - started);
      return { status: 'unhealthy', latency_ms: latency, message: errorText(error) };
    } finally {
      done.abort();
    }
  }
}

/** The last result of a part, or the problem that it has had no result for too long. */
function resultOf({ connector, health, checkedAt }: Component, now: number): ComponentHealth {
  if (connector.check === undefined || now - checkedAt <= checkEvery + overdueAfter) return health;
  const message = `no result of a check for ${Math.round((now - checkedAt) / 1000)} s`;
  return { ...health, status: 'unhealthy', message };
}

/** The identity of the service, for the body of `/health`. */
export interface HealthIdentity {
  readonly service: string;
  readonly version: string;
  /** Whole seconds since start. */
  readonly uptime: number;
  /** RFC 3339. */
  readonly timestamp: string;
  /** Messages and latencies are shown outside production only (docs/specification/observability.md#health). */
  readonly production: boolean;
}

/** GET /health: degraded is 200, unhealthy 503. */
export function healthAnswer(report: HealthReport, identity: HealthIdentity): BuiltinAnswer {
  const { service, version, uptime, timestamp, production } = identity;
  const status = overall(report.components);
  const components = production
    ? Object.fromEntries(Object.entries(report.components).map(([name, { status }]) => [name, { status }]))
    : report.components;
  return json(status === 'unhealthy' ? 503 : 200, { status, service, version, uptime, timestamp, components });
}

/** GET /health/live: 200 while the process runs, whatever the state of its connectors. */
export function livenessAnswer(): BuiltinAnswer {
  return json(200, { status: 'alive' });
}

/** GET /health/ready. */
export function readinessAnswer(report: HealthReport): BuiltinAnswer {
  const sick = Object.entries(report.components).find(([, { status }]) => status === 'unhealthy')?.[0];
  const reason = report.notReady ?? (sick === undefined ? undefined : `${titleOf(sick)} is unhealthy`);
  return reason === undefined ? json(200, { status: 'ready' }) : json(503, { status: 'not_ready', reason });
}

/** Names of shared stores say what they are; a bare name is that of a connector. */
function titleOf(component: string): string {
  return component.includes(' of ') ? component : `connector "${component}"`;
}

function overall(components: HealthReport['components']): HealthStatus {
  const found = new Set(Object.values(components).map(({ status }) => status));
  return found.has('unhealthy') ? 'unhealthy' : found.has('degraded') ? 'degraded' : 'healthy';
}

function json(status: number, body: unknown): BuiltinAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify(body) };
}
