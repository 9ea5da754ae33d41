import { resolve } from 'node:path';
import { systemClock } from '../foundation/observe/clock.ts';
import { fileDestination } from '../foundation/observe/destination.ts';
import type { Log } from '../foundation/observe/log.ts';
import { createLog } from '../foundation/observe/logger.ts';
import type { NotificationOutbox } from '../platform/outbox/notification-outbox.ts';
import { readDotenv, type Variables, withDotenv } from '../service/config/dotenv.ts';
import { OptionProblem } from '../service/config/option-problem.ts';
import { type Flags, type RunOptions, runOptions } from '../service/config/options.ts';
import { UsageError } from './command.ts';

/** Where a command was typed, with which flags. */
export interface Typed {
  /** Absolute path of the configuration. */
  readonly directory: string;
  readonly workingDirectory: string;
  readonly flags: Flags;
  /** The environment of the process. */
  readonly environment: Variables;
}

/** Settings, variables and logs of a command that runs services. */
export interface Surroundings {
  readonly options: RunOptions;
  /** The environment with `.env`. */
  readonly variables: Variables;
  readonly log: Log;
  /**
   * For the few lines about the lifecycle of the service itself (ready, reloaded, stopped). They are printed at the default
   * level of production too; a level that was given applies to them as well.
   */
  readonly life: Log;
  /** Keeps notifications instead of their being sent; undefined where they are sent. */
  readonly outbox: NotificationOutbox | undefined;
  /** Writes out what the log holds. */
  readonly flush: () => void;
}

/** Decides flags, environment and log once. Throws a UsageError for values that are not valid. */
export async function surroundingsOf({
  directory,
  workingDirectory,
  flags,
  environment,
}: Typed): Promise<Surroundings> {
  const variables = withDotenv(environment, await readDotenv(directory, workingDirectory, environment));
  const options = decide(flags, variables);
  const destination = fileDestination(2);
  const { logLevel: level, logFormat: format, logLevelGiven } = options;
  const common = { format, destination, clock: systemClock };
  const log = createLog({ ...common, level });
  const life = logLevelGiven || level === 'debug' ? log : createLog({ ...common, level: 'info' });
  destination.whenLost((lines) => log.warn('lines of the log were lost, because it could not be written', { lines }));
  for (const warning of options.warnings) log.warn(warning);
  const outbox = await outboxOf(options.capture, workingDirectory);
  return { options, variables, log, life, outbox, flush: () => destination.flush() };
}

/** Nothing is sent while the folder of `SVC_CAPTURE` cannot be used: the command ends. */
async function outboxOf(folder: string | undefined, workingDirectory: string): Promise<NotificationOutbox | undefined> {
  if (folder === undefined) return undefined;
  const { NotificationOutbox } = await import('../platform/outbox/notification-outbox.ts');
  const outbox = new NotificationOutbox(resolve(workingDirectory, folder), systemClock);
  try {
    await outbox.open();
  } catch (error) {
    throw new UsageError(`the folder of SVC_CAPTURE cannot be used: ${(error as Error).message}`);
  }
  return outbox;
}

function decide(flags: Flags, variables: Variables): RunOptions {
  try {
    return runOptions(flags, variables);
  } catch (error) {
    if (error instanceof OptionProblem) throw new UsageError(error.message);
    throw error;
  }
}
