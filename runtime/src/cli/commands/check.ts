import { parseDuration } from '@svc/protocol/model';
import { longestWait } from '@svc/protocol/schema';
import { resolveOperation } from '../../connectors/core/operations.ts';
import { flowsOf } from '../../engine/flow/declarations.ts';
import type { ConnectorServices } from '../../foundation/contracts/connector.ts';
import type { Plan, PlannedConnector } from '../../foundation/contracts/plan.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { systemClock } from '../../foundation/observe/clock.ts';
import { productVersion } from '../../foundation/version.ts';
import { type Created, createSources } from '../../service/running/generation/create-sources.ts';
import { type Probed, probeConnectors } from '../../service/running/health/probe-connectors.ts';
import { type CompilePlan, loadService } from '../../service/running/load.ts';
import { directoryOf, flagsOf } from '../call.ts';
import { type ExitStatus, type Run, type Streams, UsageError } from '../command.ts';
import { reportText } from '../report.ts';
import { surroundingsOf, type Typed } from '../surroundings.ts';

export const run: Run = async (invocation) => {
  const { streams, environment, workingDirectory, options } = invocation;
  const written = options['timeout'];
  const timeout = typeof written === 'string' ? parseDuration(written) : 10_000;
  if (timeout === undefined || timeout <= 0 || timeout > longestWait)
    throw new UsageError(`--timeout takes a duration such as 10s, at most 24 days, not "${String(written)}"`);
  return check({
    directory: directoryOf(invocation),
    workingDirectory,
    environment,
    flags: flagsOf(invocation),
    streams,
    timeout,
    createsSources: options['create-queues'] === true,
    compile: async (project, engine) => (await import('../../engine/plan/compile.ts')).compilePlan(project, { engine }),
  });
};

export interface CheckOptions extends Typed {
  readonly compile: CompilePlan;
  readonly streams: Streams;
  /** Longest wait for each connector, in milliseconds. */
  readonly timeout: number;
  /** Whether missing queues and topics that messages are taken from are created first. */
  readonly createsSources?: boolean;
}

/**
 * `svc check`: connects to everything the configuration names, all at once, and reports what cannot be reached and why.
 * Resolves with 0 when all can be, else with 1.
 */
export async function check(options: CheckOptions): Promise<ExitStatus> {
  const { directory, workingDirectory, environment, streams, timeout } = options;
  const {
    options: settings,
    log,
    flush,
  } = await surroundingsOf({
    ...options,
    flags: { ...options.flags, logLevel: options.flags.logLevel ?? 'warn' },
  });
  const { group, workers } = settings;
  const mocking = { mock: [], noMock: ['all'] };
  const loading = { workingDirectory, environment, workers, mocking };
  const { ready, diagnostics, files } = await loadService(directory, loading, group, options.compile);
  const shown = diagnostics.filter(({ severity }) => severity !== 'info');
  if (shown.length > 0) {
    const texts = new Map(files.map(({ file, text }) => [file, text]));
    streams.error.write(`${reportText({ diagnostics: shown, texts }, streams.error.colour)}\n`);
  }
  if (ready === undefined) return 1;
  const services = (name: string): ConnectorServices => ({
    log: log.with({ connector: name }),
    clock: systemClock,
    environment: settings.environment,
    production: group === 'production',
    directory,
    service: ready.settings.name,
    userAgent: `svc/${productVersion}`,
    lookup: () => () => {
      throw new Failure('internal', 'nothing is asked while connectors are checked');
    },
    storage: () => {
      throw new Failure('internal', 'nothing is kept while connectors are checked');
    },
  });
  const connectors = withOperations(ready.plan);
  const created = options.createsSources ? await createSources(connectors, services, timeout) : [];
  for (const line of creationLines(created)) streams.out.write(`${line}\n`);
  const probed = await probeConnectors(connectors, services, diagnostics, timeout, systemClock);
  for (const line of resultLines(probed, placesOf(connectors, files))) streams.out.write(`${line}\n`);
  flush();
  return probed.some(({ found }) => found === 'unreachable') ? 1 : 0;
}

/** What is taken from a source is looked for too, where flows name it. Nothing is taken. */
function withOperations({ connectors, project }: Plan): readonly PlannedConnector[] {
  const flows = flowsOf(project).map(({ name, values }) => ({ flow: name, from: values.from }));
  return connectors.map((planned) => ({
    ...planned,
    make: async (services) => {
      const made = await planned.make(services);
      const taken = flows.filter(({ from }) => from?.connector === planned.name);
      if (made.source?.events === undefined) return made;
      made.source.bind(
        taken.map(({ flow, from }) => ({
          flow,
          operation: resolveOperation(planned.declaration, from?.operation)?.operation ?? from?.operation,
          words: {},
          deliver: () => {
            throw new Failure('internal', 'nothing is taken while connectors are checked');
          },
        })),
      );
      return made;
    },
  }));
}

function creationLines(created: readonly Created[]): string[] {
  return created.map((one) =>
    'created' in one
      ? `created ${one.connector}: ${one.created}`
      : `failed  ${one.connector}: could not be created: ${one.problem}`,
  );
}

/** Where each connector is written: file and line. */
function placesOf(
  connectors: readonly PlannedConnector[],
  files: readonly { readonly file: string; readonly text: string }[],
): ReadonlyMap<string, string> {
  const texts = new Map(files.map(({ file, text }) => [file, text]));
  return new Map(
    connectors.map(({ name, declaration: { nameOrigin } }) => {
      const line = (texts.get(nameOrigin.file) ?? '').slice(0, nameOrigin.range.start).split('\n').length;
      return [name, `${nameOrigin.file}:${line}`];
    }),
  );
}

/** One line for each connector, with the place of each that failed, and a last one with the sum. */
function resultLines(probed: readonly Probed[], places: ReadonlyMap<string, string>): string[] {
  const width = Math.max(0, ...probed.map(({ connector, type }) => connector.length + type.length + 3));
  const lines = probed.map((one) => {
    const name = `${one.connector} (${one.type})`.padEnd(width);
    if (one.found === 'reachable') {
      const time = `${name}  ${one.milliseconds} ms`;
      return one.degraded === undefined ? `ok      ${time}` : `partly  ${time}, degraded: ${one.degraded}`;
    }
    return one.found === 'listener'
      ? `-       ${name}  waits for others`
      : `failed  ${name}  ${one.reason} (${places.get(one.connector) ?? ''})`;
  });
  const failed = probed.filter(({ found }) => found === 'unreachable').length;
  const degraded = probed.filter((one) => one.found === 'reachable' && one.degraded !== undefined).length;
  if (failed > 0) return [...lines, `${failed} of ${probed.length} connectors unreachable`];
  return [...lines, `${probed.length} connectors, ${degraded > 0 ? `${degraded} degraded` : 'all well'}`];
}
