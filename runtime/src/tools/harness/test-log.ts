import type { Log } from '../../foundation/observe/log.ts';
import { shown } from './text.ts';

/** Keeps warnings and errors, which show why a test failed. */
export class TestLog implements Log {
  readonly lines: string[];
  readonly #fields: Readonly<Record<string, unknown>>;

  constructor(lines: string[] = [], fields: Readonly<Record<string, unknown>> = {}) {
    this.lines = lines;
    this.#fields = fields;
  }

  enabled(level: string): boolean {
    return level === 'warn' || level === 'error';
  }

  debug(): void {}

  info(): void {}

  warn(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#keep('warn', message, fields);
  }

  error(message: string, fields: Readonly<Record<string, unknown>> = {}): void {
    this.#keep('error', message, fields);
  }

  with(fields: Readonly<Record<string, unknown>>): TestLog {
    return new TestLog(this.lines, { ...this.#fields, ...fields });
  }

  #keep(level: string, message: string, fields: Readonly<Record<string, unknown>>): void {
    const said = Object.entries({ ...this.#fields, ...fields }).map(
      ([name, value]) => `${name}=${value instanceof Error ? value.message : shown(value)}`,
    );
    this.lines.push([`${level}: ${message}`, ...said].join(' '));
  }
}
