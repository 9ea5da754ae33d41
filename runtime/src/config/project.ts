import { functionDocumentation } from '@svc/protocol/cel';
import { loadProject, type Project } from '@svc/protocol/model';
import type { Diagnostic } from '@svc/protocol/text';
import { vocabulary } from '../catalog.ts';
import { projectRules } from '../rules/index.ts';
import { readDotenv, type Variables, withDotenv } from './dotenv.ts';
import { nodeHost } from './host.ts';
import { readConfiguration } from './load.ts';

export interface LoadOptions {
  /** Variables of the process; `.env` is laid below them. */
  readonly environment: Variables;
  readonly workingDirectory: string;
  /** Whether files under `tests/` are read too (decisions 61). */
  readonly tests: boolean;
}

/** A directory as it is now: what it says, and everything that is wrong with it. */
export interface LoadedConfiguration {
  readonly project: Project;
  /** Text of every file by its path. */
  readonly texts: ReadonlyMap<string, string>;
  readonly variables: Variables;
  /** What is odd about files that are no configuration (`.env`, files read from the working directory). */
  readonly warnings: readonly string[];
}

const expressionFunctions = functionDocumentation.map(({ name }) => name);

/** Reads and checks a directory; the same for `validate`, `start` and every other command. Opens no connection. */
export async function loadConfiguration(directory: string, options: LoadOptions): Promise<LoadedConfiguration> {
  const { environment, workingDirectory, tests } = options;
  const warnings: string[] = [];
  const [files, dotenv] = await Promise.all([
    readConfiguration(directory, { tests }),
    readDotenv(directory, workingDirectory, environment),
  ]);
  for (const { line, message } of dotenv?.problems ?? []) warnings.push(`${dotenv?.path}:${line}: ${message}`);
  const variables = withDotenv(environment, dotenv);
  const host = nodeHost({ directory, workingDirectory, variables, warn: (message) => warnings.push(message) });
  const project = loadProject(files, { vocabulary, host, expressionFunctions }, projectRules);
  return { project, texts: new Map(files.map(({ path, text }) => [path, text])), variables, warnings };
}

/** Whether nothing forbids to serve the project. */
export function isServable(diagnostics: readonly Diagnostic[]): boolean {
  return diagnostics.every(({ severity }) => severity !== 'error');
}
