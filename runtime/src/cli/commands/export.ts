import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { loadConfiguration } from '../../config/load.ts';
import { asyncApi } from '../../export/asyncapi.ts';
import { openApi } from '../../export/openapi.ts';
import { directoryOf } from '../call.ts';
import { type Run, UsageError } from '../command.ts';
import { reportText } from '../report.ts';

export const run: Run = async (invocation) => {
  const { options, positionals, streams, environment, workingDirectory } = invocation;
  const [what] = positionals;
  if (what !== 'openapi' && what !== 'asyncapi')
    throw new UsageError(
      what === undefined
        ? 'name what to export: openapi or asyncapi'
        : `"${what}" is unknown; it can be openapi or asyncapi`,
    );
  const baseUrl = text(options['base-url']);
  if (baseUrl !== undefined && what === 'asyncapi')
    throw new UsageError('--base-url is of openapi: the servers of asyncapi are those of the connectors');
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw new UsageError(`--base-url takes an address, not "${baseUrl}"`);
  const directory = directoryOf({ ...invocation, positionals: [] });
  const { project, diagnostics, texts } = await loadConfiguration(directory, {
    environment,
    workingDirectory,
    tests: false,
    workers: 1,
  });
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  const document = what === 'openapi' ? openApi(project, { baseUrl }) : asyncApi(project);
  const written = await inFormat(document, text(options['format']) ?? 'yaml');
  const output = text(options['output']);
  if (output === undefined) streams.out.write(written);
  else {
    try {
      await writeFile(resolve(workingDirectory, output), written);
    } catch (error) {
      streams.error.write(`svc export: ${error instanceof Error ? error.message : String(error)}\n`);
      return 1;
    }
  }
  return 0;
};

async function inFormat(document: object, format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return (await import('../../export/yaml.ts')).toYaml(document);
}

function text(option: unknown): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
