import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { readDotenv, withDotenv } from '../service/config/dotenv.ts';
import { environmentName, type Flags } from '../service/config/options.ts';
import { type Invocation, UsageError } from './command.ts';

/** The configuration directory that a command was given. Throws UsageError when it does not exist. */
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

/** The number of workers that a command was given, else SVC_WORKERS, else 1. Throws UsageError when it is not a number. */
export function workersOf({ options, environment }: Invocation): number {
  const written = options['workers'] ?? environment['SVC_WORKERS'] ?? '1';
  const workers = Number(written);
  if (!Number.isInteger(workers) || workers < 1 || workers > 256)
    throw new UsageError(`the number of workers is a whole number from 1 to 256, not "${String(written)}"`);
  return workers;
}

/** The environment that a command was given, else SVC_ENV of the process or of `.env`, else development. */
export async function environmentOf(directory: string, invocation: Invocation): Promise<string> {
  const { workingDirectory, environment } = invocation;
  const variables = withDotenv(environment, await readDotenv(directory, workingDirectory, environment));
  return environmentName(flagsOf(invocation), variables);
}

/** The flags that a command was given which decide how a service runs. */
export function flagsOf({ options }: Invocation): Flags {
  const words = (name: string) => (Array.isArray(options[name]) ? (options[name] as readonly string[]) : undefined);
  const word = (name: string) => (typeof options[name] === 'string' ? options[name] : undefined);
  return {
    environment: word('env'),
    logLevel: word('log-level'),
    logFormat: word('log-format'),
    verbose: options['verbose'] === true,
    workers: word('workers'),
    hotReload: options['no-hot-reload'] === true ? false : options['hot-reload'] === true ? true : undefined,
    verboseFlow: options['verbose-flow'] === true,
    debug: options['debug'] === true,
    debugSuspend: options['debug-suspend'] === true,
    mock: words('mock'),
    noMock: words('no-mock'),
  };
}
