import { relative } from 'node:path';
import { type CelEngine, functionDocumentation } from '@svc/protocol/cel';
import { type ConfigurationFile, isDamaged, loadProject, type Project } from '@svc/protocol/model';
import { type Diagnostic, mostSevereFirst } from '@svc/protocol/text';
import { projectRules } from '../../checks/project-rules.ts';
import { environmentRules } from '../../checks/rules/deployment/environment.ts';
import { workerRules } from '../../checks/rules/deployment/workers.ts';
import { vocabulary } from '../../checks/vocabulary.ts';
import { flagProblems, type MockFlags, noFlags, servedMocks } from '../../engine/mocks/mocking.ts';
import { type Recordings, readRecordings } from '../../engine/mocks/recordings.ts';
import { mocks } from '../../engine/mocks/spec.ts';
import { expressionDiagnostics } from '../../engine/plan/diagnostics.ts';
import { createExpressionEngine } from '../../engine/plan/engine.ts';
import { checkNamedFiles } from '../../engine/plan/file-checks.ts';
import { checkModules } from '../../engine/plugins/file-checks.ts';
import { checkInstalled } from '../../engine/plugins/install/checks.ts';
import { lockName } from '../../engine/plugins/install/lock.ts';
import { readLockText } from '../../engine/plugins/install/state.ts';
import { namedPluginFiles } from '../../engine/plugins/named-files.ts';
import { manifestFiles, withPlugins } from '../../engine/plugins/vocabulary.ts';
import type { EnvironmentGroup } from '../../foundation/contracts/environment.ts';
import { protoFilesIn } from '../../platform/formats/protobuf/proto-files.ts';
import type { DiscoverOptions } from './discover.ts';
import { readDotenv, type Variables, withDotenv } from './dotenv.ts';
import { nodeHost } from './host.ts';
import { readConfiguration } from './read.ts';
import { rsaBits } from './rsa-bits.ts';
import type { ConfigurationSnapshot } from './snapshot.ts';

export interface LoadConfigurationOptions extends DiscoverOptions {
  /** The environment of the process; `.env` is read below it. */
  readonly environment: Variables;
  readonly workingDirectory: string;
  /** The kind of environment that it is meant for. Default: development. */
  readonly group?: EnvironmentGroup | undefined;
  /** Processes that will serve; what only one process may hold is refused above 1. */
  readonly workers: number;
  /** What the command line says about mocks. Default: nothing. */
  readonly mocking?: MockFlags | undefined;
  /** Files that were read before; they are not read again then, except for recordings. */
  readonly snapshot?: ConfigurationSnapshot | undefined;
  /** Compiles the expressions. Default: one that reads the environment. */
  readonly engine?: CelEngine | undefined;
}

/** A directory as it is now, checked. */
export interface LoadedConfiguration {
  readonly project: Project;
  /** Has compiled every expression of the project once. */
  readonly engine: CelEngine;
  readonly diagnostics: readonly Diagnostic[];
  /** Text of every file by its path relative to the directory. */
  readonly texts: ReadonlyMap<string, string>;
  /** Of each connector that calls what files describe, a text that is equal for equal files. */
  readonly digests: ReadonlyMap<string, string>;
  /** The environment with `.env`. */
  readonly variables: Variables;
  /** Undefined when neither the configuration nor the command line mentions mocks. */
  readonly recordings: Recordings | undefined;
  /** Loads the same again. */
  readonly snapshot: ConfigurationSnapshot;
  /** Files of plugins that it names, by their absolute paths, with what each was known by before it was read. */
  readonly named: ReadonlyMap<string, string> | undefined;
}

/**
 * Reads and checks the configuration of a directory; opens nothing. Problems of `.env` and of the places of files are
 * warnings among the diagnostics. Rejects when the directory cannot be read.
 */
export async function loadConfiguration(
  directory: string,
  {
    environment,
    workingDirectory,
    group = 'development',
    tests,
    workers,
    engine,
    mocking = noFlags,
    snapshot,
  }: LoadConfigurationOptions,
): Promise<LoadedConfiguration> {
  const [files, dotenv] =
    snapshot === undefined
      ? await Promise.all([
          readConfiguration(directory, { tests }),
          readDotenv(directory, workingDirectory, environment),
        ])
      : [snapshot.files, snapshot.dotenv];
  const variables = withDotenv(environment, dotenv);
  const warnings: Diagnostic[] = (dotenv?.problems ?? []).map(({ line, message }) =>
    warning('dotenv-line', `line ${line}: ${message}`, relative(directory, dotenv?.path ?? '').replaceAll('\\', '/')),
  );
  const texts: Record<string, string> = { ...snapshot?.texts };
  const among = { directory, workingDirectory, group, workers, variables, engine };
  const checked = checkConfiguration(files, { ...among, read: texts });
  const recordings = recordingsOf(directory, checked, mocking);
  const read = nodeHost({ directory, workingDirectory, variables, confined: true }).readFile;
  const pluginFiles = namedPluginFiles(checked.project, directory);
  const named = await checkNamedFiles(
    checked.project,
    (path) => (texts[path] ??= read(path)),
    (folder) => protoFilesIn(directory, folder),
  );
  const manifests = manifestFiles(checked.project).flatMap((path) => {
    const text = texts[path];
    return text === undefined ? [] : [[path, text] as const];
  });
  const lock = async () => {
    const text = snapshot === undefined ? await readLockText(directory) : texts[lockName];
    if (text !== undefined) texts[lockName] = text;
    return text;
  };
  const found = [
    ...(await checkInstalled(checked.project, lock, { directory, variables })),
    ...(await checkModules(checked.project, directory)),
    ...flagProblems(checked.project, mocking),
    ...named.diagnostics,
    ...(recordings?.diagnostics ?? []),
    ...(recordings !== undefined && group !== 'development' ? servedMocks(checked.project, recordings, mocking) : []),
  ];
  return {
    ...checked,
    diagnostics: mostSevereFirst([...emptiness(checked.project), ...warnings, ...checked.diagnostics, ...found]),
    texts: new Map([...checked.texts, ...manifests, ...named.texts, ...(recordings?.texts ?? [])]),
    digests: named.digests,
    variables,
    recordings,
    snapshot: { files, dotenv, texts },
    named: pluginFiles,
  };
}

/** A directory that declares nothing is a wrong path, or its files are being replaced. It is not a service that does nothing. */
function emptiness({ files }: Project): readonly Diagnostic[] {
  // What cannot be read may declare much.
  if (isDamaged(files) || files.some(({ file, body }) => body.items.length > 0 && !file.startsWith('tests/')))
    return [];
  const message = files.length === 0 ? 'the directory holds no configuration' : 'the files declare nothing';
  return [
    {
      code: 'empty-configuration',
      severity: 'error',
      family: 'config',
      message,
      file: '.',
      range: { start: 0, end: 0 },
      help: 'Configuration is every file below the directory that ends in .hcl or .mycel. Name another directory with -c, or begin with svc init.',
    },
  ];
}

function recordingsOf(
  directory: string,
  { project, engine }: Pick<LoadedConfiguration, 'project' | 'engine'>,
  { mock }: MockFlags,
): Recordings | undefined {
  const block = project.one('mocks', mocks);
  if (block === undefined && mock.length === 0) return undefined;
  return readRecordings(directory, block?.path ?? './mocks', project, engine);
}

export interface CheckConfigurationOptions
  extends Pick<LoadConfigurationOptions, 'workingDirectory' | 'workers' | 'engine' | 'group'> {
  readonly directory: string;
  /** The environment with `.env`. */
  readonly variables: Variables;
  /** What was read of other files, by the path as written; what is read now is added. Default: nothing. */
  readonly read?: Record<string, string> | undefined;
}

/** Checks files that were read. */
export function checkConfiguration(
  files: readonly ConfigurationFile[],
  {
    directory,
    workingDirectory,
    group = 'development',
    workers,
    variables,
    engine: given,
    read = {},
  }: CheckConfigurationOptions,
): Omit<LoadedConfiguration, 'variables' | 'recordings' | 'snapshot' | 'digests' | 'named'> {
  const warnings: Diagnostic[] = [];
  const warn = (message: string) => void warnings.push(warning('outside-directory', message, files[0]?.path ?? ''));
  const own = nodeHost({ directory, workingDirectory, variables, warn });
  const host = { ...own, readFile: (path: string) => (read[path] ??= own.readFile(path)) };
  const expressionFunctions = functionDocumentation.map(({ name }) => name);
  const rules = [...projectRules, ...workerRules(workers), ...environmentRules(group, rsaBits)];
  const project = loadProject(files, { vocabulary, host, expressionFunctions, extend: withPlugins }, rules);
  const engine = given ?? createExpressionEngine((name) => variables[name]);
  const expressions = isDamaged(project.files) ? [] : expressionDiagnostics(project, engine);
  return {
    project,
    engine,
    diagnostics: mostSevereFirst([...warnings, ...project.diagnostics, ...expressions]),
    texts: new Map(files.map(({ path, text }) => [path, text])),
  };
}

function warning(code: string, message: string, file: string): Diagnostic {
  return { code, severity: 'warning', family: 'config', message, file, range: { start: 0, end: 0 } };
}
