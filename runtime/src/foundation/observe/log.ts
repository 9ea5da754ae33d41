/** Levels by rising severity; a log prints its own level and more severe ones. */
export type LogLevel = 'debug' | 'info' | 'warn' | 'error';

export type LogFields = Readonly<Record<string, unknown>>;

/**
 * The structured log. Hot paths ask `enabled` before they build fields. Fields named like credentials are masked;
 * values of attributes marked secret must never be passed.
 */
export interface Log {
  enabled(level: LogLevel): boolean;
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
  /** A log that adds these fields to every line. */
  with(fields: LogFields): Log;
}
