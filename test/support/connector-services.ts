import type { ConnectorServices } from '../../runtime/src/foundation/contracts/connector.ts';
import type { HttpServices } from '../../runtime/src/foundation/contracts/http.ts';
import { systemClock } from '../../runtime/src/foundation/observe/clock.ts';
import type { Log, LogFields, LogLevel } from '../../runtime/src/foundation/observe/log.ts';

export interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: LogFields;
}

/** A log that keeps its lines. */
export function recordingLog(lines: LogLine[] = [], bound: LogFields = {}): Log & { readonly lines: LogLine[] } {
  const at = (level: LogLevel) => (message: string, fields?: LogFields) => {
    lines.push({ level, message, fields: { ...bound, ...fields } });
  };
  return {
    lines,
    enabled: () => true,
    debug: at('debug'),
    info: at('info'),
    warn: at('warn'),
    error: at('error'),
    with: (fields) => recordingLog(lines, { ...bound, ...fields }),
  };
}

/** What a connector under test is given. */
export function connectorServices(over: Partial<ConnectorServices> = {}): ConnectorServices {
  return {
    log: recordingLog(),
    clock: systemClock,
    environment: 'development',
    production: false,
    directory: process.cwd(),
    service: 'test',
    userAgent: 'svc/0.1.0',
    lookup: (connector) => {
      throw new Error(`nothing to look up in ${connector}`);
    },
    storage: (connector) => {
      throw new Error(`nothing is kept in ${connector}`);
    },
    ...over,
  };
}

/** What a server under test is given. */
export function httpServices(over: Partial<HttpServices> = {}): HttpServices {
  return {
    builtins: [],
    rateLimiter: undefined,
    observer: { of: () => ({ started: () => {}, finished: () => {} }) },
    overloaded: () => false,
    trustedProxies: { networks: [], header: 'x-forwarded-for' },
    ...over,
  };
}
