import { isShaping } from '../../engine/flow/pipeline/stages.ts';
import type { FlowProbe } from '../../foundation/contracts/probe.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { productVersion } from '../../foundation/version.ts';
import { HttpListener } from '../../platform/http/sockets/listener.ts';
import { withinTime } from '../../platform/net/within-time.ts';
import { combineProbes, payloadLog } from '../../platform/telemetry/probes.ts';
import type { Tracing, TracingOptions } from '../../platform/telemetry/tracing.ts';
import { NamedFiles } from '../../service/config/named-files.ts';
import type { ConfigurationSnapshot } from '../../service/config/snapshot.ts';
import { watchConfiguration } from '../../service/config/watch.ts';
import { stageLog } from '../../service/debug/stage-log.ts';
import { stopOnStrayErrors } from '../../service/running/failures.ts';
import { callPlaces } from '../../service/running/generation/call-places.ts';
import { shownAddress } from '../../service/running/http/listener.ts';
import { type CompilePlan, loadService } from '../../service/running/load.ts';
import { ConfigurationProblem, logProblem } from '../../service/running/problems.ts';
import { createService, type Service } from '../../service/running/service.ts';
import type { Loaded, ServiceSetup, StartReport } from '../../service/running/setup.ts';
import { directoryOf, flagsOf } from '../call.ts';
import type { ExitStatus, Run, Writer } from '../command.ts';
import { debuggingOf, primaryDebuggingOf, workerEntryPointOf } from '../debugging.ts';
import { tellLauncherReady } from '../launched.ts';
import { installsAtStart } from '../plugin/at-start.ts';
import { reportText } from '../report.ts';
import { handleSignals } from '../signals.ts';
import { type Surroundings, surroundingsOf, type Typed } from '../surroundings.ts';

export const run: Run = async (invocation) => {
  const { streams, environment, workingDirectory } = invocation;
  const directory = directoryOf(invocation);
  return start({
    directory,
    named: new NamedFiles(directory),
    workingDirectory,
    environment,
    flags: flagsOf(invocation),
    error: streams.error,
    frozen: invocation.options['frozen'] === true,
    compile: async (project, engine) => (await import('../../engine/plan/compile.ts')).compilePlan(project, { engine }),
  });
};

export interface StartOptions extends Typed {
  readonly compile: CompilePlan;
  /** Where problems of the configuration are shown to people. */
  readonly error: Writer;
  /** Whether plugins.lock stays as it is. Default: no. */
  readonly frozen?: boolean | undefined;
  /** Is given the files that the configuration names, which are watched. Absent: they are not watched. */
  readonly named?: NamedFiles | undefined;
}

/**
 * `svc start`: runs the service of a directory until a signal stops it. Resolves with 0 when it stopped in order, 1 when it
 * could not start, was ended by an unhandled error, or had to cut off work; a second signal ends the process with 128 and the
 * number of the signal. Throws a UsageError for options that are not valid.
 */
export async function start(options: StartOptions): Promise<ExitStatus> {
  const surroundings = await surroundingsOf(options);
  process.once('exit', surroundings.flush);
  const { workers } = surroundings.options;
  const worker = process.env['SVC_WORKER'];
  if (worker !== undefined && process.send !== undefined) {
    delete process.env['SVC_WORKER'];
    const { runWorker } = await import('../../service/cluster/worker.ts');
    const entryPoint = workerEntryPointOf(surroundings, Number(worker));
    return runWorker((own, given) => serviceOf(options, surroundings, own, given), { ...surroundings, entryPoint });
  }
  if (workers > 1) {
    const { runPrimary } = await import('../../service/cluster/primary.ts');
    const installs = installsOf(options, surroundings);
    return runPrimary({
      ...surroundings,
      directory: options.directory,
      named: options.named,
      load: async () => {
        await installs();
        return loadOf(options, surroundings);
      },
      explain: (error) => explain(error, options, surroundings),
      debugging: await primaryDebuggingOf(surroundings),
      handleSignals,
      ready: tellLauncherReady,
    });
  }
  return runAlone(options, surroundings);
}

async function runAlone(options: StartOptions, surroundings: Surroundings): Promise<ExitStatus> {
  const { log, life, flush } = surroundings;
  let status: ExitStatus = 0;
  const debugging = debuggingOf(surroundings);
  const own = debugging.entryPoint === undefined ? {} : { debug: debugging.entryPoint };
  const { service, stopTracing } = await serviceOf(options, surroundings, own);
  const stop = async (): Promise<void> => {
    life.info('stopping', { under_way: service.underWay });
    const { clean, cut } = await service.stop();
    await stopTracing();
    if (!clean) status = 1;
    life.info('stopped', { clean, cut });
  };
  let stopped: Promise<void> | undefined;
  const stopOnce = () => void (stopped ??= stop());
  const forgetSignals = handleSignals({
    stop: stopOnce,
    stopNow: (cutShort) => {
      life.warn('stopped at once', { cut: service.underWay });
      flush();
      process.exit(cutShort);
    },
    reload: () => void service.reload(),
  });
  const forgetStray = stopOnStrayErrors(log, () => {
    status = 1;
    stopOnce();
  });
  let endWatch: (() => void) | undefined;
  try {
    const ended = new Promise<undefined>((resolve) => {
      service.lifecycle.onChange((phase) => phase === 'stopped' && resolve(undefined));
    });
    const starting = service.start();
    // Watched from the first reading on: an edit that is made while the service starts is not lost.
    if (surroundings.options.hotReload)
      endWatch = watchConfiguration({
        directory: options.directory,
        named: options.named,
        changed: () => void starting.then(() => service.reload()).catch(() => undefined),
      });
    const report = await Promise.race([starting, ended]);
    if (report !== undefined) {
      announce(report, surroundings);
      await debugging.announce(report.admin?.port ?? 0);
      flush();
      tellLauncherReady();
    }
    await ended;
  } catch (error) {
    // A signal may have come while it was starting; that is not a failure.
    if (stopped === undefined) {
      explain(error, options, surroundings);
      status = 1;
    }
  }
  await stopped;
  await debugging.stop();
  endWatch?.();
  forgetSignals();
  forgetStray();
  flush();
  return status;
}

/** Milliseconds in which the spans that are held may be sent at the end. */
const traceTime = 5_000;

/** What exists only while a service runs. */
export interface RunningParts {
  readonly service: Service;
  /** Sends the spans that are held. */
  readonly stopTracing: () => Promise<void>;
}

async function serviceOf(
  options: StartOptions,
  surroundings: Surroundings,
  own: Partial<ServiceSetup>,
  given: () => ConfigurationSnapshot | undefined = () => undefined,
): Promise<RunningParts> {
  const { log, options: settings, variables } = surroundings;
  const { tracing } = settings;
  const origins = () => parts.service?.origins ?? new Map();
  const parts: { service?: Service; tracing?: Tracing; place?: TracingOptions['place'] } = {};
  const probes: FlowProbe[] = [];
  if (settings.verboseFlow) probes.push(stageLog(log, systemClock));
  if (settings.payload !== undefined && log.enabled('debug')) probes.push(payloadLog(log, settings.payload, origins));
  const installs = installsOf(options, surroundings);
  const load = async (): Promise<Loaded> => {
    const snapshot = given();
    // A worker is given what the first process has read, and installed.
    if (snapshot === undefined) await installs();
    const loaded = await loadOf(options, surroundings, snapshot);
    if (loaded.ready === undefined || !tracing) return loaded;
    const { settings, plan } = loaded.ready;
    parts.place = callPlaces(plan.project);
    if (parts.tracing !== undefined) return loaded;
    const { startTracing } = await import('../../platform/telemetry/tracing.ts');
    const place: TracingOptions['place'] = (flow, stage, name) => parts.place?.(flow, stage, name);
    const { name: service, version } = settings;
    parts.tracing = await startTracing({ service, version, log, variables, origins, place, isShaping });
    probes.push(parts.tracing.probe);
    return loaded;
  };
  const service = createService({
    load,
    createListener: (connectors, application, cut) => new HttpListener(connectors, application, { cut }),
    log,
    clock: systemClock,
    environment: settings.environment,
    production: settings.group === 'production',
    directory: options.directory,
    productVersion,
    capture: surroundings.outbox,
    probe: () => combineProbes(probes),
    afterUse: async (generation) => {
      const { warnOfMissingTables } = await import('../../service/running/generation/missing-tables.ts');
      await warnOfMissingTables(generation, log);
    },
    ...own,
  });
  parts.service = service;
  return {
    service,
    stopTracing: async () => {
      // A collector that does not answer must not keep the process.
      await withinTime(traceTime, () => parts.tracing?.stop()).catch((error: unknown) =>
        log.warn('traces could not be sent', { error }),
      );
    },
  };
}

function installsOf({ directory, workingDirectory, environment, frozen = false }: StartOptions, { log }: Surroundings) {
  return installsAtStart({ directory, workingDirectory, environment, log, frozen });
}

async function loadOf(
  { directory, workingDirectory, environment, flags, compile, named }: StartOptions,
  { options }: Surroundings,
  snapshot?: ConfigurationSnapshot,
) {
  const { group, workers } = options;
  const mocking = { mock: flags.mock ?? [], noMock: flags.noMock ?? [] };
  const loading = { workingDirectory, environment, workers, mocking, snapshot };
  const loaded = await loadService(directory, loading, group, compile);
  named?.note(loaded.named);
  return loaded;
}

/** Reports why the service could not start: with code frames for people, as log lines for programs. */
function explain(error: unknown, { error: writer }: StartOptions, { log, options, flush }: Surroundings): void {
  if (error instanceof ConfigurationProblem && options.logFormat === 'text') {
    const texts = new Map(error.files.map(({ file, text }) => [file, text]));
    flush();
    writer.write(`${reportText({ diagnostics: error.diagnostics, texts }, writer.colour)}\n`);
  } else logProblem(log, error);
  log.error('the service cannot start', { error });
}

/** The one line that says what listens where. */
function announce(
  { settings, addresses, admin, connectors, flows }: StartReport,
  { life, options }: Surroundings,
): void {
  const { name, version } = settings;
  const listening = Object.fromEntries(
    [...addresses].map(([connector, address]) => [connector, shownAddress(address)]),
  );
  life.info('ready', {
    service: name,
    version,
    environment: options.environment,
    svc: productVersion,
    ...listening,
    ...(admin === undefined ? {} : { admin: shownAddress(admin) }),
    connectors,
    flows,
    hot_reload: options.hotReload,
    took: `${systemClock.elapsed()}ms`,
  });
}
