import type { Diagnostic } from '@svc/protocol/text';
import { flowsOf } from '../../engine/flow/declarations.ts';
import { productVersion } from '../../foundation/version.ts';
import { environmentGroup } from '../../service/config/environment.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { directoryOf, environmentOf, workersOf } from '../call.ts';
import type { Invocation, Run } from '../command.ts';
import { type Findings, type ReportFormat, reportJson, reportSarif, reportText, summarize } from '../report.ts';

export const run: Run = async (invocation) => {
  const { options, streams } = invocation;
  const directory = directoryOf(invocation);
  const { environment, workingDirectory } = invocation;
  const loaded = await loadConfiguration(directory, {
    environment,
    workingDirectory,
    group: environmentGroup(await environmentOf(directory, invocation)),
    tests: true,
    workers: workersOf(invocation),
  });
  const { project } = loaded;
  const { diagnostics, texts } = await withContracts(loaded, invocation);
  const { errors, warnings } = summarize(diagnostics);
  const valid = errors === 0 && (options['strict'] !== true || warnings === 0);
  const findings: Findings = { diagnostics, texts };
  const format = (options['format'] as ReportFormat | undefined) ?? 'text';
  if (format === 'json') streams.out.write(reportJson(findings, valid));
  else if (format === 'sarif') streams.out.write(reportSarif(findings, productVersion));
  else {
    if (diagnostics.length > 0) streams.out.write(`${reportText(findings, streams.out.colour)}\n`);
    streams.out.write(verdict(valid, diagnostics, project.files.length, project.connectors.size, flowCount(project)));
  }
  return valid ? 0 : 1;
};

/** Adds how it differs from the contracts that are named. A configuration with errors is described by nothing. */
async function withContracts(
  loaded: Awaited<ReturnType<typeof loadConfiguration>>,
  invocation: Invocation,
): Promise<Findings> {
  const named = invocation.options['contract'];
  const isWrong = loaded.diagnostics.some(({ severity }) => severity === 'error');
  if (!Array.isArray(named) || isWrong) return loaded;
  const { compareContracts } = await import('../compare-contracts.ts');
  return compareContracts(loaded, named as readonly string[], invocation);
}

type LoadedProject = Awaited<ReturnType<typeof loadConfiguration>>['project'];

/** Flows, and sagas, which count as flows. */
function flowCount(project: LoadedProject): number {
  return flowsOf(project).length;
}

function verdict(
  valid: boolean,
  diagnostics: readonly Diagnostic[],
  files: number,
  connectors: number,
  flows: number,
): string {
  const { errors, warnings, infos } = summarize(diagnostics);
  const counts = [
    plural(errors, 'error'),
    plural(warnings, 'warning'),
    ...(infos > 0 ? [`${infos} of advice`] : []),
  ].join(', ');
  const size = `${plural(files, 'file')}, ${plural(connectors, 'connector')}, ${plural(flows, 'flow')}`;
  return `${valid ? 'valid' : 'invalid'}: ${size}; ${counts}\n`;
}

function plural(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
