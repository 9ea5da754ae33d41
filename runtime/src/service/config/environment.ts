import type { EnvironmentGroup } from '../../foundation/contracts/environment.ts';
import type { LogLevel } from '../../foundation/observe/log.ts';
import type { LogFormat } from '../../foundation/observe/logger.ts';

/** The kind of environment that a name means. */
export function environmentGroup(name: string): EnvironmentGroup {
  const word = name.toLowerCase();
  if (word === 'production' || word === 'prod') return 'production';
  return word === 'staging' || word === 'stage' ? 'staging' : 'development';
}

/** What an environment decides where nothing else is set. */
export interface EnvironmentDefaults {
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
  readonly hotReload: boolean;
  /** Requests are limited although no `rate_limit` block is written. */
  readonly rateLimited: boolean;
  /** Milliseconds between refusing readiness and refusing requests. */
  readonly shutdownDelay: number;
}

export const environmentDefaults: Readonly<Record<EnvironmentGroup, EnvironmentDefaults>> = {
  development: { logLevel: 'debug', logFormat: 'text', hotReload: true, rateLimited: false, shutdownDelay: 0 },
  staging: { logLevel: 'info', logFormat: 'json', hotReload: true, rateLimited: true, shutdownDelay: 5_000 },
  production: { logLevel: 'warn', logFormat: 'json', hotReload: false, rateLimited: true, shutdownDelay: 5_000 },
};
