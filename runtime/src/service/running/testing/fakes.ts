import { type Agent, request as httpRequest, type IncomingMessage } from 'node:http';
import type { ConnectorDeclaration, Project } from '@svc/protocol/model';
import { block, connector as connectorSpec } from '@svc/protocol/schema';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpAddress, HttpExchange, HttpMount } from '../../../foundation/contracts/http.ts';
import type { Plan, PlannedConnector } from '../../../foundation/contracts/plan.ts';
import type { Binding, Source } from '../../../foundation/contracts/source.ts';
import { systemClock } from '../../../foundation/observe/clock.ts';
import type { Log, LogFields, LogLevel } from '../../../foundation/observe/log.ts';
import { HttpListener } from '../../../platform/http/sockets/listener.ts';
import { type ServiceSettings, serviceSettings } from '../settings.ts';
import type { Loaded, ServiceSetup } from '../setup.ts';

/** A log that keeps its lines. */
export function memoryLog(): {
  readonly log: Log;
  readonly lines: { level: LogLevel; message: string; fields: LogFields }[];
} {
  const lines: { level: LogLevel; message: string; fields: LogFields }[] = [];
  const make = (own: LogFields): Log => {
    const at =
      (level: LogLevel) =>
      (message: string, fields: LogFields = {}) =>
        void lines.push({ level, message, fields: { ...own, ...fields } });
    return {
      enabled: () => true,
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      with: (fields) => make({ ...own, ...fields }),
    };
  };
  return { log: make({}), lines };
}

/** The calls that a fake connector has received, in order. */
export type Events = string[];

/** A target that does nothing; what it is asked to do goes to `events`. */
export function fakeTarget(name: string, events: Events, own: Partial<Connector> = {}): Connector {
  return {
    name,
    open: async () => void events.push(`open ${name}`),
    close: async () => void events.push(`close ${name}`),
    ...own,
  };
}

/** An HTTP server connector: every request for `path` is answered by `handle`. */
export function fakeServer(
  name: string,
  events: Events,
  handle: (request: IncomingMessage) => string | Promise<string>,
  address: HttpAddress = { host: '127.0.0.1', port: 0 },
  path = '*',
): Connector {
  const answer = async (exchange: HttpExchange) => {
    try {
      exchange.send(200, 'text/plain', await handle(exchange.request));
    } catch (error) {
      exchange.refuse(error);
    }
  };
  const http: HttpMount = {
    connector: name,
    address,
    access: { cors: undefined, verifier: undefined, maxInFlight: 1000, timeout: undefined },
    builtins: true,
    routes: ['GET', 'POST'].map((method) => ({ method, path, handle: (exchange) => void answer(exchange) })),
  };
  const source: Source = {
    bind: (bindings: readonly Binding[]) => {
      events.push(`bind ${name} ${bindings.map(({ flow }) => flow).join(' ')}`);
      return { http, prepare: async () => undefined, use: () => undefined, ended: async () => undefined };
    },
    start: async () => void events.push(`start ${name}`),
    stop: async () => void events.push(`stop ${name}`),
  };
  return fakeTarget(name, events, { source });
}

const nowhere = { file: 'main.hcl', range: { start: 0, end: 0 } };

export function declaration(name: string, type = 'fake'): ConnectorDeclaration {
  const spec = connectorSpec({ type, config: block({ doc: '' }) });
  return {
    name,
    origin: nowhere,
    nameOrigin: nowhere,
    spec,
    values: {} as ConnectorDeclaration['values'],
    operations: new Map(),
    profiles: new Map(),
  };
}

export function planned(
  name: string,
  make: (services: ConnectorServices) => Connector | Promise<Connector>,
  fingerprint = name,
): PlannedConnector {
  return { name, declaration: declaration(name), fingerprint, make: async (services) => make(services) };
}

export function fakePlan(connectors: readonly PlannedConnector[], flows: Readonly<Record<string, string>> = {}): Plan {
  return {
    project: { files: [], diagnostics: [], connectors: new Map(), all: () => [] } as unknown as Project,
    connectors,
    flows: Object.keys(flows),
    bind: () => {
      const bindings = new Map<string, Binding[]>();
      for (const [flow, connector] of Object.entries(flows)) {
        const binding: Binding = {
          flow,
          operation: 'GET /',
          words: {},
          deliver: () => ({ kind: 'reply', value: null }),
        };
        bindings.set(connector, [...(bindings.get(connector) ?? []), binding]);
      }
      return {
        bindings,
        types: [],
        sent: new Map(),
        answers: { kept: [], hidden: () => ({ values: undefined, fields: [] }) },
        stages: new Map(),
        schedules: new Map(),
        flows: new Map(),
        runners: [],
        mounts: [],
      };
    },
  };
}

export function loaded(plan: Plan, settings: Partial<ServiceSettings> = {}): Loaded {
  const defaults = serviceSettings(undefined, 'development');
  return {
    files: [],
    diagnostics: [],
    ready: { plan, settings: { ...defaults, adminPort: 0, adminHost: '127.0.0.1', ...settings } },
  };
}

/** A set-up of a service on the loopback interface with the clock of the machine. */
export function setup(load: () => Loaded | Promise<Loaded>, own: Partial<ServiceSetup> = {}) {
  const { log, lines } = memoryLog();
  const parts: ServiceSetup = {
    load: async () => load(),
    createListener: (connectors, application, cut) => new HttpListener(connectors, application, { cut }),
    log,
    clock: systemClock,
    environment: 'development',
    production: false,
    directory: '/srv',
    productVersion: '1.2.3',
    ...own,
  };
  return { parts, lines };
}

export interface Answer {
  readonly status: number;
  readonly body: string;
  /** The header that says whether the connection stays open. */
  readonly connection: string | undefined;
}

/** One request, over a connection of its own unless there is an agent. */
export function ask(port: number, path: string, method = 'GET', agent: Agent | false = false): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest({ host: '127.0.0.1', port, path, method, agent }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (piece: string) => {
        body += piece;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, body, connection: response.headers.connection }),
      );
    });
    request.on('error', reject);
    request.end();
  });
}

/** Asks again until the answer is true. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
}
