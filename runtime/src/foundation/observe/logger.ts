import type { Clock } from './clock.ts';
import type { LogDestination } from './destination.ts';
import type { Log, LogFields, LogLevel } from './log.ts';
import { maskCredentials, printable } from './mask.ts';

export type LogFormat = 'json' | 'text';

export interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly destination: LogDestination;
  readonly clock: Clock;
  readonly fields?: LogFields;
}

export const logLevels = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

/** A log that prints its level and more severe ones, as text or JSON (docs/specification/observability.md#logs). */
export function createLog(options: LoggerOptions): Log {
  const lineOf = options.format === 'json' ? jsonLine : textLine;
  return new LineLog(options, lineOf, logLevels.indexOf(options.level), options.fields ?? {});
}

type LineOf = (time: string, level: LogLevel, message: string, fields: Record<string, unknown>) => string;

class LineLog implements Log {
  readonly #options: LoggerOptions;
  readonly #lineOf: LineOf;
  readonly #least: number;
  readonly #fields: LogFields;

  constructor(options: LoggerOptions, lineOf: LineOf, least: number, fields: LogFields) {
    this.#options = options;
    this.#lineOf = lineOf;
    this.#least = least;
    this.#fields = fields;
  }

  enabled(level: LogLevel): boolean {
    return logLevels.indexOf(level) >= this.#least;
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields);
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields);
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields);
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields);
  }

  with(fields: LogFields): Log {
    return new LineLog(this.#options, this.#lineOf, this.#least, { ...this.#fields, ...fields });
  }

  #write(level: LogLevel, message: string, fields: LogFields | undefined): void {
    if (!this.enabled(level)) return;
    const time = new Date(this.#options.clock.now()).toISOString();
    const all = printable(fields === undefined ? this.#fields : { ...this.#fields, ...fields });
    this.#options.destination.write(
      this.#lineOf(time, level, maskCredentials(message), all as Record<string, unknown>),
    );
  }
}

/** RFC 3339 with nine digits, as programs that read the reference's logs expect; the clock gives three of them. */
const jsonLine: LineOf = (time, level, message, fields) =>
  `${JSON.stringify({ time: `${time.slice(0, -1)}000000Z`, level: level.toUpperCase(), msg: message, ...fields })}\n`;

const shortLevels: Readonly<Record<LogLevel, string>> = { debug: 'DBG', info: 'INF', warn: 'WRN', error: 'ERR' };

const textLine: LineOf = (time, level, message, fields) => {
  let line = `${time.slice(11, 23)} ${shortLevels[level]} ${printableText(message)}`;
  for (const [name, value] of Object.entries(fields)) line += ` ${name}=${valueText(value)}`;
  return `${line}\n`;
};

function valueText(value: unknown): string {
  if (typeof value !== 'string') return JSON.stringify(value) ?? '';
  return /^[^\s"=\\]+$/.test(value) && printableText(value) === value ? value : printableText(JSON.stringify(value));
}

/** Control characters would let a message forge lines or move the cursor of a terminal. */
function printableText(text: string): string {
  return text.replace(
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
