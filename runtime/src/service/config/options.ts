import { parseDuration } from '@svc/protocol/model';
import type { EnvironmentGroup } from '../../foundation/contracts/environment.ts';
import type { LogLevel } from '../../foundation/observe/log.ts';
import { type LogFormat, logLevels } from '../../foundation/observe/logger.ts';
import type { Variables } from './dotenv.ts';
import { environmentDefaults, environmentGroup } from './environment.ts';
import { OptionProblem } from './option-problem.ts';
import { tracingWanted } from './tracing-wanted.ts';

/** What was given on the command line; undefined where nothing was. */
export interface Flags {
  readonly environment?: string | undefined;
  readonly logLevel?: string | undefined;
  readonly logFormat?: string | undefined;
  readonly verbose?: boolean | undefined;
  readonly workers?: string | undefined;
  readonly hotReload?: boolean | undefined;
  readonly verboseFlow?: boolean | undefined;
  readonly debug?: boolean | undefined;
  readonly debugSuspend?: boolean | undefined;
  /** Names of connectors, or `all`. */
  readonly mock?: readonly string[] | undefined;
  readonly noMock?: readonly string[] | undefined;
}

/** Settings of a run, each from the first that sets it: flag, process, `.env`, environment, built-in default. */
export interface RunOptions {
  readonly environment: string;
  readonly group: EnvironmentGroup;
  readonly logLevel: LogLevel;
  /** The level was asked for, so nothing below it is printed. */
  readonly logLevelGiven: boolean;
  readonly logFormat: LogFormat;
  readonly workers: number;
  readonly hotReload: boolean;
  /** False outside development, whatever was asked for; see `warnings`. */
  readonly verboseFlow: boolean;
  /** Bytes of a message that are logged; undefined when messages are not logged. */
  readonly payload: number | undefined;
  /** SVC_CAPTURE: the folder that notifications are kept in instead of being sent; in development alone. */
  readonly capture: string | undefined;
  /** Whether spans are made. */
  readonly tracing: boolean;
  readonly debug: DebugOptions;
  readonly warnings: readonly string[];
}

/** Who may debug the service (docs/specification/debugging.md#access). */
export interface DebugOptions {
  /** Always in development, with `--debug` elsewhere. */
  readonly enabled: boolean;
  /** SVC_DEBUG_TOKEN; undefined: one is made when it is needed, in development alone. */
  readonly token: string | undefined;
  /** SVC_DEBUG_ORIGIN. */
  readonly origin: string | undefined;
  /** SVC_DEBUG_MAX_PAUSE, in milliseconds. */
  readonly maxPause: number;
  /** `--debug-suspend` or SVC_DEBUG_SUSPEND; false outside development, whatever was asked for. */
  readonly suspend: boolean;
}

/** The environment of a run. `variables` is the process environment with `.env` below it. */
export function environmentName(flags: Pick<Flags, 'environment'>, variables: Variables): string {
  return flags.environment ?? given(variables, 'SVC_ENV') ?? 'development';
}

/** `variables` is the process environment with `.env` below it. Throws an OptionProblem that names option and value. */
export function runOptions(flags: Flags, variables: Variables): RunOptions {
  const environment = environmentName(flags, variables);
  const group = environmentGroup(environment);
  const defaults = environmentDefaults[group];
  const warnings: string[] = [];
  const level = flags.logLevel ?? (flags.verbose ? 'debug' : given(variables, 'SVC_LOG_LEVEL'));
  const logLevel = oneOf(level, logLevels, 'log level') ?? defaults.logLevel;
  const format = flags.logFormat ?? given(variables, 'SVC_LOG_FORMAT');
  const verboseFlow = flags.verboseFlow === true && group === 'development';
  if (flags.verboseFlow && !verboseFlow) warnings.push(`--verbose-flow is ignored in ${environment}`);
  const payload = payloadSize(variables);
  if (payload !== undefined && logLevel !== 'debug')
    warnings.push('SVC_PAYLOAD_SHOW has no effect: messages are logged at level debug');
  return {
    environment,
    group,
    logLevel,
    logLevelGiven: level !== undefined,
    logFormat: oneOf(format, ['text', 'json'] as const, 'log format') ?? defaults.logFormat,
    workers: workerCount(flags.workers ?? given(variables, 'SVC_WORKERS')),
    hotReload: flags.hotReload ?? defaults.hotReload,
    verboseFlow,
    payload,
    capture: captureFolder(variables, environment, group),
    tracing: tracingWanted(variables),
    debug: debugOptions(flags, variables, group, warnings),
    warnings,
  };
}

const standardMaxPause = 1_800_000;

function debugOptions(flags: Flags, variables: Variables, group: EnvironmentGroup, warnings: string[]): DebugOptions {
  const token = given(variables, 'SVC_DEBUG_TOKEN');
  if (flags.debug && group !== 'development' && token === undefined)
    throw new OptionProblem(
      `--debug in ${group} needs SVC_DEBUG_TOKEN: a client that has it may read and stop requests`,
    );
  const written = given(variables, 'SVC_DEBUG_MAX_PAUSE');
  const maxPause = written === undefined ? standardMaxPause : parseDuration(written);
  if (maxPause === undefined || maxPause <= 0)
    throw new OptionProblem(`SVC_DEBUG_MAX_PAUSE is a duration such as 30m, not "${written}"`);
  const enabled = group === 'development' || flags.debug === true;
  const workers = workerCount(flags.workers ?? given(variables, 'SVC_WORKERS'));
  const asked = flags.debugSuspend === true || ['true', '1'].includes(given(variables, 'SVC_DEBUG_SUSPEND') ?? '');
  const suspend = asked && group === 'development';
  if (asked && !suspend) warnings.push(`--debug-suspend is ignored in ${group}`);
  if (suspend && workers > 1)
    throw new OptionProblem('--debug-suspend needs one process: leave --workers and SVC_WORKERS out');
  return {
    suspend,
    enabled,
    token,
    origin: given(variables, 'SVC_DEBUG_ORIGIN'),
    maxPause,
  };
}

/** A service that others use must not keep quiet: what it should send is never kept instead. */
function captureFolder(variables: Variables, environment: string, group: EnvironmentGroup): string | undefined {
  const folder = given(variables, 'SVC_CAPTURE');
  if (folder === undefined || group === 'development') return folder;
  throw new OptionProblem(
    `SVC_CAPTURE keeps notifications from being sent, in development alone; this is ${environment}: unset it`,
  );
}

/** An empty variable counts as unset. */
function given(variables: Variables, name: string): string | undefined {
  const value = variables[name]?.trim();
  return value === '' ? undefined : value;
}

function oneOf<const T extends string>(word: string | undefined, choices: readonly T[], what: string): T | undefined {
  if (word === undefined) return undefined;
  const found = choices.find((choice) => choice === word.toLowerCase());
  if (found === undefined) throw new OptionProblem(`the ${what} is one of ${choices.join(', ')}, not "${word}"`);
  return found;
}

function workerCount(text: string | undefined): number {
  if (text === undefined) return 1;
  const count = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (count < 1) throw new OptionProblem(`the number of workers is a whole number from 1, not "${text}"`);
  return count;
}

const units: Readonly<Record<string, number>> = { '': 1, k: 1024, m: 1024 * 1024 };

function payloadSize(variables: Variables): number | undefined {
  const show = given(variables, 'SVC_PAYLOAD_SHOW')?.toLowerCase();
  if (show !== 'true' && show !== '1') return undefined;
  const text = given(variables, 'SVC_PAYLOAD_SIZE') ?? '4k';
  const found = /^(\d+)([km]?)$/i.exec(text);
  if (found === null) throw new OptionProblem(`SVC_PAYLOAD_SIZE is a number of bytes such as 4k or 1m, not "${text}"`);
  return Number(found[1]) * (units[(found[2] ?? '').toLowerCase()] as number);
}
