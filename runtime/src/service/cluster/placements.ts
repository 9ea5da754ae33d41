import type { Clock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { metricTable } from '../../foundation/observe/metric-table.ts';
import { Family, type MetricsSnapshot } from '../../foundation/observe/registry.ts';
import { backoffDelay } from '../../platform/net/backoff.ts';
import type { ComponentHealth } from '../running/health/health.ts';

/** A connector that runs in one worker. */
export interface PlacedConnector {
  readonly name: string;
  /** What metrics call its kind. */
  readonly type: string;
  /** While it runs nowhere the service is degraded, and ready all the same. */
  readonly optional: boolean;
}

/** A worker as placements see it. */
export interface PlacementWorker {
  readonly number: number;
  readonly pid: number | undefined;
  /** Whether it takes messages and answers. */
  readonly isWell: () => boolean;
  /** Lets exactly these run in the worker; gives the reasons of those that cannot. Rejects when it is gone or silent. */
  readonly place: (connectors: readonly string[]) => Promise<Readonly<Record<string, string>>>;
}

export interface PlacementOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly life: Log;
  /** Called with the worker in which a connector runs from now on; undefined: nowhere, since it was removed from the configuration. */
  readonly placed: (connector: string, worker: number | undefined) => void;
}

/** The state of a connector that no worker runs. */
interface Absence {
  /** Monotonic milliseconds; when it was last known to run, or was first to be placed. */
  readonly since: number;
  /** Whether it has run before. */
  readonly hasRun: boolean;
  attempts: number;
  /** Why the last attempt failed, and where. */
  problem: string | undefined;
  lastTried: number | undefined;
}

/** Waits between two attempts to run a connector. */
const pauses = { kind: 'exponential', delay: 1_000, maxDelay: 30_000, jitter: true } as const;

/**
 * Decides in which worker each connector runs that the service has one of. It moves to another worker when its own is
 * gone, never before: two at once would disturb each other. Workers are asked one round after another.
 */
export class Placements {
  readonly #options: PlacementOptions;
  readonly #workers = new Map<number, PlacementWorker>();
  #connectors: ReadonlyMap<string, PlacedConnector> = new Map();
  /** The worker of each connector, also while that is asked to close it. */
  readonly #owners = new Map<string, number>();
  readonly #absent = new Map<string, Absence>();
  readonly #quit = new AbortController();
  readonly #gaps = new Family(metricTable.connectorGap);
  #round: Promise<void> = Promise.resolve();

  constructor(options: PlacementOptions) {
    this.#options = options;
  }

  /** The connectors that the configuration has from now on. Resolves when every worker has been notified. */
  use(connectors: readonly PlacedConnector[]): Promise<void> {
    this.#connectors = new Map(connectors.map((one) => [one.name, one]));
    return this.arrange();
  }

  /** A worker takes messages. */
  add(worker: PlacementWorker): void {
    this.#workers.set(worker.number, worker);
  }

  /** A worker is gone. `lastSeen`: monotonic milliseconds at which it was alive. */
  remove(number: number, lastSeen: number): void {
    this.#workers.delete(number);
    for (const [connector, owner] of this.#owners) {
      if (owner !== number) continue;
      this.#owners.delete(connector);
      this.#miss(connector, lastSeen, true);
    }
  }

  stop(): void {
    this.#quit.abort();
  }

  /** Places every connector that runs nowhere. Never rejects. */
  arrange(): Promise<void> {
    this.#round = this.#round.then(() => (this.#quit.signal.aborted ? undefined : this.#arrange()));
    return this.#round;
  }

  /** Why connectors run nowhere, by name; empty when all of them run. */
  get problems(): ReadonlyMap<string, string> {
    const missing = [...this.#absent].filter(([name]) => this.#connectors.has(name));
    return new Map(missing.map(([name, { problem }]) => [name, problem ?? 'it runs in no worker']));
  }

  /** The health of those that run nowhere: one that is on its way to another worker is degraded. */
  get health(): Readonly<Record<string, ComponentHealth>> {
    const shown = [...this.problems].map(([name, message]): [string, ComponentHealth] => {
      const isMoving = this.#absent.get(name)?.problem === undefined;
      const isTolerated = isMoving || this.#connectors.get(name)?.optional === true;
      return [name, { status: isTolerated ? 'degraded' : 'unhealthy', latency_ms: 0, message }];
    });
    return Object.fromEntries(shown);
  }

  get metrics(): MetricsSnapshot {
    const health = new Family(metricTable.connectorHealth);
    for (const name of this.problems.keys()) {
      const { type } = this.#connectors.get(name) as PlacedConnector;
      health.of(name, type).value = 0;
    }
    return [this.#gaps, health].map((family) => [family.spec.name, family.series()]);
  }

  #miss(connector: string, since: number, hasRun: boolean): Absence {
    let absence = this.#absent.get(connector);
    if (absence === undefined) {
      absence = { since, hasRun, attempts: 0, problem: undefined, lastTried: undefined };
      this.#absent.set(connector, absence);
    }
    return absence;
  }

  async #arrange(): Promise<void> {
    await this.#closeRemoved();
    const chosen = new Map<PlacementWorker, string[]>();
    for (const name of this.#connectors.keys()) {
      if (this.#owners.has(name)) continue;
      const absence = this.#miss(name, this.#options.clock.elapsed(), false);
      const worker = this.#choose(absence.lastTried);
      if (worker === undefined) continue;
      this.#owners.set(name, worker.number);
      chosen.set(worker, [...(chosen.get(worker) ?? []), name]);
    }
    await Promise.all([...chosen].map(([worker, names]) => this.#begin(worker, names)));
  }

  /** Connectors that were removed from the configuration end before others begin. */
  async #closeRemoved(): Promise<void> {
    for (const name of this.#absent.keys()) if (!this.#connectors.has(name)) this.#absent.delete(name);
    const gone = [...this.#owners].filter(([name]) => !this.#connectors.has(name));
    const workers = new Set(gone.flatMap(([, owner]) => this.#workers.get(owner) ?? []));
    const notified = [...workers].map(async (worker) => {
      const names = gone.filter(([, owner]) => owner === worker.number).map(([name]) => name);
      const kept = this.#of(worker).filter((name) => !names.includes(name));
      await worker.place(kept);
      for (const name of names) {
        this.#owners.delete(name);
        this.#options.placed(name, undefined);
      }
    });
    // A worker that does not answer keeps what it has until it is gone.
    await Promise.allSettled(notified);
  }

  async #begin(worker: PlacementWorker, names: readonly string[]): Promise<void> {
    const { clock, log, life, placed } = this.#options;
    let failed: Readonly<Record<string, string>>;
    try {
      failed = await worker.place(this.#of(worker));
    } catch (error) {
      // It may run there: it is given to another worker when this one is gone.
      log.warn('a worker did not say whether its connectors run', { worker: worker.number, connectors: names, error });
      return;
    }
    if (!this.#workers.has(worker.number)) return;
    for (const name of names) {
      const absence = this.#miss(name, clock.elapsed(), false);
      const problem = failed[name];
      if (problem !== undefined) {
        this.#owners.delete(name);
        Object.assign(absence, { problem, lastTried: worker.number, attempts: absence.attempts + 1 });
        this.#retryLater(name, absence.attempts);
        continue;
      }
      this.#absent.delete(name);
      const gap = absence.hasRun ? clock.elapsed() - absence.since : undefined;
      if (gap !== undefined) this.#gaps.of(name, 'worker').observe(gap / 1_000);
      life.info('connector runs in one worker', {
        connector: name,
        worker: worker.number,
        pid: worker.pid,
        ...(gap !== undefined && { gap: `${Math.round(gap)}ms` }),
      });
      placed(name, worker.number);
    }
  }

  #retryLater(name: string, attempts: number): void {
    const { clock, log } = this.#options;
    const wait = backoffDelay(pauses, attempts);
    log.error('connector runs in no worker', {
      connector: name,
      reason: this.#absent.get(name)?.problem,
      again: `${Math.round(wait)}ms`,
    });
    clock.sleep(wait, this.#quit.signal).then(
      () => this.arrange(),
      () => undefined,
    );
  }

  #of({ number }: PlacementWorker): string[] {
    return [...this.#owners].flatMap(([name, owner]) => (owner === number ? [name] : []));
  }

  /** The worker that runs the fewest, another one than the one that failed last where there is a choice. */
  #choose(failed: number | undefined): PlacementWorker | undefined {
    const well = [...this.#workers.values()].filter(({ isWell }) => isWell());
    const others = well.filter(({ number }) => number !== failed);
    const candidates = others.length > 0 ? others : well;
    return candidates.toSorted((a, b) => this.#of(a).length - this.#of(b).length || a.number - b.number)[0];
  }
}
