import { closest } from '@svc/protocol/text';
import { serviceNameOf } from '../engine/plan/service-name.ts';
import type { Capture } from '../foundation/contracts/capture.ts';
import type { Plan } from '../foundation/contracts/plan.ts';
import { systemClock } from '../foundation/observe/clock.ts';
import { productVersion } from '../foundation/version.ts';
import { loadService } from '../service/running/load.ts';
import { UnreachableProblem } from '../service/running/problems.ts';
import type { Loaded } from '../service/running/setup.ts';
import { flagsOf } from './call.ts';
import { type ExitStatus, type Invocation, type Streams, UsageError } from './command.ts';
import { reportText } from './report.ts';
import { type Surroundings, surroundingsOf } from './surroundings.ts';

/** Longest wait for one connector, in milliseconds. */
export const openTimeout = 10_000;

/** What a command that runs one flow needs: its settings, and the plan. Logs warnings alone unless it was asked for more. */
export async function loadForFlow(
  invocation: Invocation,
  directory: string,
): Promise<{ readonly surroundings: Surroundings; readonly loaded: Loaded }> {
  const { environment, workingDirectory } = invocation;
  const given = flagsOf(invocation);
  const flags = { ...given, logLevel: given.logLevel ?? (given.verbose ? undefined : 'warn') };
  const surroundings = await surroundingsOf({ directory, workingDirectory, flags, environment });
  const { group, workers } = surroundings.options;
  const loaded = await loadService(
    directory,
    { workingDirectory, environment, workers },
    group,
    async (project, engine) => (await import('../engine/plan/compile.ts')).compilePlan(project, { engine }),
  );
  return { surroundings, loaded };
}

/** What the connectors of one flow are given. */
export function servicesOf(
  { options, log }: Surroundings,
  { project }: Plan,
  directory: string,
  capture: Capture | undefined,
) {
  const { environment, group } = options;
  const production = group === 'production';
  return {
    log,
    clock: systemClock,
    environment,
    production,
    directory,
    service: serviceNameOf(project),
    userAgent: `svc/${productVersion}`,
    capture,
  };
}

/** Shows why a configuration cannot be used. */
export function refuse({ diagnostics, files }: Loaded, { error }: Streams): ExitStatus {
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  const texts = new Map(files.map(({ file, text: source }) => [file, source]));
  error.write(`${reportText({ diagnostics: errors, texts }, error.colour)}\n`);
  return 1;
}

/** Throws UsageError for a flow that does not exist. */
export function refuseUnknown(flow: string, { flows }: Plan): void {
  if (flows.includes(flow)) return;
  const near = closest(flow, flows);
  const hint = near === undefined ? `; these exist: ${flows.join(', ')}` : `; did you mean "${near}"?`;
  throw new UsageError(`there is no flow "${flow}"${flows.length === 0 ? '' : hint}`);
}

/** One line for each thing to fix. */
export function problemText(error: unknown): string {
  if (!(error instanceof UnreachableProblem)) return error instanceof Error ? error.message : String(error);
  return error.unreachable
    .map(({ connector, type, reason }) => `connector "${connector}" (${type}) cannot be used: ${reason}`)
    .join('\n');
}
