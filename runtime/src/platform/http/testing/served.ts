import { connect } from 'node:net';
import {
  connectorServices,
  httpServices,
  type LogLine,
  recordingLog,
} from '../../../../../test/support/connector-services.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { HttpApplication, HttpServices } from '../../../foundation/contracts/http.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import type { Binding } from '../../../foundation/contracts/source.ts';
import type { Declarations } from '../../../foundation/contracts/types.ts';
import { HttpEdge } from '../edge.ts';
import { HttpListener } from '../sockets/listener.ts';

/** What one operation does: a value to answer with, or a function of the message. */
export type Deliver = (message: Message) => Outcome | Promise<Outcome>;

export interface ServedOptions {
  readonly http?: Partial<HttpServices>;
  readonly services?: Partial<ConnectorServices>;
  readonly declared?: Declarations;
}

/** A connector that serves over HTTP behind a real socket, with stub flows. Disposing closes all of it. */
export interface Served extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  readonly lines: readonly LogLine[];
  readonly listener: HttpListener;
  readonly application: HttpApplication;
  /** `method route` of requests that began. */
  readonly started: readonly string[];
  /** `method route status` of finished requests. */
  readonly finished: readonly string[];
  /** Resolves when no request is being answered. */
  idle(): Promise<void>;
  /** Status, interesting headers and body of one request. */
  ask(path: string, init?: RequestInit): Promise<Answer>;
  /** Everything the server sends back for raw bytes, until it closes or `enough`. */
  raw(bytes: string, enough?: (text: string) => boolean): Promise<string>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: unknown;
}

/** Answers with its input. */
export const echo: Deliver = ({ input }) => reply(input);

export const reply = (value: unknown, more: { status?: number; headers?: Record<string, string> } = {}): Outcome => ({
  kind: 'reply',
  value,
  ...more,
});

export const binding = (operation: string, deliver: Deliver, over: Partial<Binding> = {}): Binding => ({
  flow: operation,
  operation,
  words: {},
  deliver,
  ...over,
});

/** Serves the flows at a free port of 127.0.0.1; the connector that is made is named `api`. */
export async function serve(
  create: (services: ConnectorServices) => Connector,
  bindings: readonly Binding[],
  options: ServedOptions = {},
): Promise<Served> {
  const log = recordingLog();
  const started: string[] = [];
  const finished: string[] = [];
  const services = connectorServices({ log, ...options.services });
  const observer = {
    of: (method: string, route: string) => ({
      started: () => started.push(`${method} ${route}`),
      finished: (status: number) => finished.push(`${method} ${route} ${status}`),
    }),
  };
  const connector = create(services);
  const bound = connector.source?.bind(bindings, options.declared);
  if (bound?.http === undefined) throw new Error('the connector serves nothing');
  await connector.open(new AbortController().signal);
  await bound.prepare();
  const edge = new HttpEdge([bound.http], { ...services, http: httpServices({ observer, ...options.http }) });
  const listener = new HttpListener(['api'], edge);
  const { port } = await listener.listen();
  const url = `http://127.0.0.1:${port}`;
  return {
    port,
    url,
    lines: log.lines,
    listener,
    application: edge,
    started,
    finished,
    idle: () => edge.idle(),
    ask: async (path, init) => answerOf(await fetch(`${url}${path}`, { redirect: 'manual', ...init })),
    raw: (bytes, enough) => rawExchange(port, bytes, enough),
    async [Symbol.asyncDispose]() {
      await listener.close(AbortSignal.abort());
      await connector.close();
    },
  };
}

async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  const headers = Object.fromEntries(response.headers);
  for (const name of ['date', 'connection', 'keep-alive', 'content-length']) delete headers[name];
  return { status: response.status, headers, text, json: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function rawExchange(port: number, bytes: string, enough?: (text: string) => boolean): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      if (enough?.(text)) socket.destroy();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(text));
    socket.write(bytes, 'latin1');
  });
}

/** Headers without what every answer carries. */
export function without(headers: Readonly<Record<string, string>>, ...names: string[]): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !names.includes(name)));
}
