import cluster, { type Worker } from 'node:cluster';
import type { Values } from '@svc/protocol/schema';
import type { everyConnector } from '../../connectors/core/spec.ts';
import type { BoundAddress } from '../../foundation/contracts/http.ts';
import type { PlannedConnector } from '../../foundation/contracts/plan.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { metricSpecs } from '../../foundation/observe/metric-table.ts';
import { exposition, mergeSnapshots } from '../../foundation/observe/registry.ts';
import { productVersion } from '../../foundation/version.ts';
import type { UpgradeTaker } from '../admin/server.ts';
import { AdminServer } from '../admin/server.ts';
import type { NamedFiles } from '../config/named-files.ts';
import type { RunOptions } from '../config/options.ts';
import type { ConfigurationSnapshot } from '../config/snapshot.ts';
import { watchConfiguration } from '../config/watch.ts';
import { coalesce } from '../running/coalesce.ts';
import { typeOf } from '../running/generation/open.ts';
import { runsOnce } from '../running/generation/placement.ts';
import { builtinRoutes } from '../running/health/builtins.ts';
import { shownAddress } from '../running/http/listener.ts';
import { ConfigurationProblem, logDiagnostics, logProblem } from '../running/problems.ts';
import type { ServiceSettings } from '../running/settings.ts';
import type { Loaded } from '../running/setup.ts';
import { Connections } from './connections.ts';
import { Crew } from './crew.ts';
import type { CrewFollower } from './debug-relay.ts';
import { mergeHealth } from './merge.ts';
import type { ProcessReport } from './messages.ts';
import type { PlacedConnector } from './placements.ts';

export interface PrimaryOptions {
  readonly options: RunOptions;
  readonly directory: string;
  readonly log: Log;
  readonly life: Log;
  readonly flush: () => void;
  /** Files that the configuration names, which are watched too. */
  readonly named?: NamedFiles | undefined;
  readonly load: () => Promise<Loaded>;
  /** Reports why the service cannot start. */
  readonly explain: (error: unknown) => void;
  /** How the workers are debugged; absent where debugging is off. */
  readonly debugging?: PrimaryDebugging | undefined;
  /** Called when the service takes messages. */
  readonly ready?: (() => void) | undefined;
  readonly handleSignals: (actions: {
    stop: () => void;
    stopNow: (status: number) => void;
    reload: () => void;
  }) => () => void;
}

export interface PrimaryDebugging {
  readonly entrance: UpgradeTaker & { close(): Promise<void> };
  readonly follower: CrewFollower;
  /** Called when the service listens. */
  readonly announce: (port: number) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/**
 * Runs a service in several processes (docs/running.md#several-processes). The primary takes no requests: it checks the
 * configuration, starts workers and replaces those that die, owns the admin port, merges health and metrics, rolls a
 * reload from worker to worker, and passes a signal on once. Resolves with the exit status.
 */
export async function runPrimary(options: PrimaryOptions): Promise<number> {
  const { log, life, flush, debugging } = options;
  let settings: ServiceSettings;
  let admin: AdminServer | undefined;
  let bound: BoundAddress;
  const processes = new Map<Worker, number>();
  const connections = new Connections((worker) => crew.isWell(processes.get(worker)));
  const crew: Crew = new Crew(options.options.workers, {
    fork: (number) => {
      const worker = fork(number, options.options.workers);
      processes.set(worker, number);
      worker.on('exit', () => processes.delete(worker));
      connections.watch(worker);
      return worker;
    },
    joined: () => connections.redistribute(),
    follower: debugging?.follower,
    clock: systemClock,
    log,
    life,
    answers: { health: () => merged().then(({ health }) => health), metrics: () => merged().then(textOf) },
  });
  const merged = async () => merge(await crew.reports(), crew.started, crew.stopping);
  try {
    const first = await checked(options);
    settings = first.settings;
    crew.adopt(first.snapshot, first.placed);
    const routes = builtinRoutes({
      report: async () => (await merged()).health,
      metrics: async () => textOf(await merged()),
      identity: () => ({
        service: settings.name,
        version: settings.version,
        uptime: Math.floor(systemClock.elapsed() / 1000),
        timestamp: new Date().toISOString(),
        production: options.options.group === 'production',
      }),
    });
    const { adminHost: host, adminPort: port } = settings;
    admin = new AdminServer({ port, host, routes, log, debug: debugging?.entrance });
    bound = await admin.listen();
  } catch (error) {
    options.explain(error);
    flush();
    return 1;
  }

  const stopAll = async (): Promise<void> => {
    life.info('stopping', { workers: crew.size });
    await crew.stop(settings.shutdown.timeout + 2_000);
    life.info('stopped');
  };
  let stopped: Promise<void> | undefined;
  const stop = () => (stopped ??= stopAll());
  const reload = coalesce(async () => {
    if (stopped !== undefined) return;
    let candidate: Checked;
    try {
      candidate = await checked(options);
    } catch (error) {
      logProblem(log, error);
      log.error('reload failed, the earlier configuration keeps serving', { error });
      crew.countReloadFailure();
      return;
    }
    if (!(await crew.roll(candidate.snapshot, candidate.placed))) return;
    settings = candidate.settings;
    life.info('reloaded', { workers: crew.size });
  });
  const forget = options.handleSignals({
    stop: () => void stop(),
    stopNow: (status) => {
      life.warn('stopped at once');
      crew.kill();
      flush();
      process.exit(status);
    },
    reload: () => void reload(),
  });

  const starting = crew.start();
  let endWatch: (() => void) | undefined;
  // Watched from the first reading on: an edit that is made while the workers start is not lost.
  if (options.options.hotReload)
    endWatch = watchConfiguration({
      directory: options.directory,
      named: options.named,
      changed: () => void starting.then((serving) => (serving === undefined ? undefined : reload())),
    });
  const addresses = await starting;
  if (addresses !== undefined && stopped === undefined) {
    life.info('ready', {
      service: settings.name,
      version: settings.version,
      environment: options.options.environment,
      svc: productVersion,
      ...addresses,
      admin: shownAddress(bound),
      workers: crew.size,
      took: `${Math.round(systemClock.elapsed())}ms`,
    });
    await debugging?.announce(bound.port);
    flush();
    options.ready?.();
  } else void stop();
  await crew.over;
  endWatch?.();
  await stopped;
  await debugging?.entrance.close();
  await admin.close();
  await debugging?.stop();
  forget();
  flush();
  return addresses === undefined && !crew.stoppedCleanly ? 1 : crew.stoppedCleanly ? 0 : 1;
}

interface Checked {
  readonly settings: ServiceSettings;
  readonly snapshot: ConfigurationSnapshot;
  /** Connectors that run in one worker. */
  readonly placed: readonly PlacedConnector[];
}

/** Loads the configuration without opening anything. Throws a ConfigurationProblem. */
async function checked({ load, log }: PrimaryOptions): Promise<Checked> {
  const { files, diagnostics, snapshot, ready } = await load();
  if (ready === undefined || snapshot === undefined) throw new ConfigurationProblem(diagnostics, files);
  logDiagnostics(log, diagnostics, files);
  const placed = ready.plan.connectors.filter(runsOnce).map(placedConnector);
  return { settings: ready.settings, snapshot, placed };
}

function placedConnector(planned: PlannedConnector): PlacedConnector {
  const { health } = planned.declaration.values as unknown as Values<typeof everyConnector>;
  return { name: planned.name, type: typeOf(planned), optional: health === 'optional' };
}

function fork(worker: number, workers: number): Worker {
  return cluster.fork({ SVC_WORKER: String(worker), SVC_WORKERS: String(workers) });
}

function merge(reports: readonly ProcessReport[], started: boolean, stopping: boolean) {
  const health = mergeHealth(reports.map((report) => report.health));
  const notReady = stopping ? 'shutting down' : started ? health.notReady : 'starting';
  return {
    health: { ...health, notReady },
    metrics: mergeSnapshots(
      metricSpecs,
      reports.map((report) => report.metrics),
    ),
  };
}

function textOf({ metrics }: ReturnType<typeof merge>): string {
  return exposition(metricSpecs, metrics);
}
