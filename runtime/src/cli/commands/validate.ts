import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Diagnostic } from '@svc/protocol/text';
import { loadConfiguration } from '../../config/load.ts';
import { productVersion } from '../../version.ts';
import { type Invocation, type Run, UsageError } from '../command.ts';
import { type Findings, type ReportFormat, reportJson, reportSarif, reportText, summarize } from '../report.ts';

export const run: Run = async (invocation) => {
  const { options, streams } = invocation;
  const directory = directoryOf(invocation);
  const { environment, workingDirectory } = invocation;
  const { project, diagnostics, texts } = await loadConfiguration(directory, {
    environment,
    workingDirectory,
    tests: true,
    workers: workersOf(invocation),
  });
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

type LoadedProject = Awaited<ReturnType<typeof loadConfiguration>>['project'];

function flowCount(project: LoadedProject): number {
  const spec = project.vocabulary.blocks['flow'];
  return spec ? project.all('flow', spec).length : 0;
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

/** The configuration directory that a command was given. Throws UsageError when there is none. */
export function directoryOf({ options, positionals, workingDirectory }: Invocation): string {
  const [positional] = positionals;
  const config = options['config'];
  if (positional !== undefined && typeof config === 'string')
    throw new UsageError('name the directory once: as an argument or with --config');
  const directory = resolve(workingDirectory, positional ?? (typeof config === 'string' ? config : '.'));
  const stat = statSync(directory, { throwIfNoEntry: false });
  if (!stat) throw new UsageError(`there is no directory ${directory}`);
  if (!stat.isDirectory())
    throw new UsageError(`${directory} is a file; name the directory that holds the configuration`);
  return directory;
}

/** The number of workers that a command was given, else SVC_WORKERS, else 1. Throws UsageError when it is no number. */
export function workersOf({ options, environment }: Invocation): number {
  const written = options['workers'] ?? environment['SVC_WORKERS'] ?? '1';
  const workers = Number(written);
  if (!Number.isInteger(workers) || workers < 1 || workers > 256)
    throw new UsageError(`the number of workers is a whole number from 1 to 256, not "${String(written)}"`);
  return workers;
}
