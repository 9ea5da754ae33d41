import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { asyncApi } from '../../engine/export/asyncapi.ts';
import { openApi } from '../../engine/export/openapi.ts';
import { loadConfiguration } from '../../service/config/load.ts';
import { directoryOf } from '../call.ts';
import { type Run, UsageError } from '../command.ts';
import { reportText } from '../report.ts';

export const run: Run = async (invocation) => {
  const { options, positionals, streams, environment, workingDirectory } = invocation;
  const [what] = positionals;
  const kind = what === undefined || !Object.hasOwn(kinds, what) ? undefined : kinds[what];
  if (what === undefined || kind === undefined)
    throw new UsageError(
      what === undefined ? `name what to export: ${words}` : `"${what}" is unknown; it can be ${words}`,
    );
  const baseUrl = text(options['base-url']);
  if (baseUrl !== undefined && kind === 'asyncapi')
    throw new UsageError('--base-url is of openapi: the servers of asyncapi are those of the connectors');
  if (options['openapi-version'] !== undefined && kind !== 'openapi')
    throw new UsageError(`--openapi-version does not belong to ${what}`);
  const isOfConnector = kind === 'graphql' || kind === 'wsdl' || kind === 'proto';
  const foreign = isOfConnector ? ['base-url', 'format'] : ['connector'];
  for (const option of foreign)
    if (options[option] !== undefined) throw new UsageError(`--${option} does not belong to ${what}`);
  if (baseUrl !== undefined && !URL.canParse(baseUrl))
    throw new UsageError(`--base-url takes an address, not "${baseUrl}"`);
  const directory = directoryOf({ ...invocation, positionals: [] });
  const loaded = await loadConfiguration(directory, {
    environment,
    workingDirectory,
    tests: false,
    workers: 1,
  });
  const { project, diagnostics, texts } = loaded;
  const errors = diagnostics.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    streams.error.write(reportText({ diagnostics: errors, texts }, streams.error.colour));
    return 1;
  }
  const format = text(options['format']) ?? 'yaml';
  const dialect = options['openapi-version'] === '3.1' ? '3.1.1' : '3.0.3';
  let written: string;
  if (isOfConnector) {
    const { contractOf } = await import('../export-contract.ts');
    written = await contractOf(loaded, directory, streams, { type: typeOf[kind], name: text(options['connector']) });
  } else
    written = await inFormat(kind === 'openapi' ? openApi(project, { baseUrl, dialect }) : asyncApi(project), format);
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

/** What can be exported, by the words that are typed. */
const kinds: Readonly<Record<string, 'openapi' | 'asyncapi' | 'graphql' | 'wsdl' | 'proto'>> = {
  openapi: 'openapi',
  asyncapi: 'asyncapi',
  graphql: 'graphql',
  'graphql-schema': 'graphql',
  wsdl: 'wsdl',
  proto: 'proto',
};

const words = 'openapi, asyncapi, graphql, wsdl or proto';

/** The types of connectors that give a contract of their protocol. */
const typeOf = { graphql: 'graphql', wsdl: 'soap', proto: 'grpc' } as const;

async function inFormat(document: object, format: string): Promise<string> {
  if (format === 'json') return `${JSON.stringify(document, null, 2)}\n`;
  return (await import('../../engine/export/yaml.ts')).toYaml(document);
}

function text(option: unknown): string | undefined {
  return typeof option === 'string' ? option : undefined;
}
