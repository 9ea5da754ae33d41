import { describe } from 'vitest';
import { SearchServer } from './server.ts';

/** A server of which a suite says what it does. */
export interface NamedServer {
  readonly name: string;
  readonly start: () => Promise<StartedServer>;
}

export interface StartedServer {
  readonly url: string;
  /** Sends a request by itself; the answer is JSON. */
  send(method: string, path: string, body?: unknown): Promise<Answered>;
  stop(): Promise<void>;
}

export interface Answered {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

const double: NamedServer = {
  name: 'a double',
  start: async () => {
    const server = await SearchServer.start();
    return { url: server.url, send: sender(server.url), stop: () => server.close() };
  },
};

/** Real servers, by the variable that names their address. */
const variables = { OpenSearch: 'TEST_OPENSEARCH_URL', Elasticsearch: 'TEST_ELASTICSEARCH_URL' } as const;

/** Runs a suite on the double, and on every real server that there is; one that is missing is a suite that is skipped. */
export function onEachServer(suite: (server: NamedServer) => void): void {
  suite(double);
  for (const [name, variable] of Object.entries(variables)) {
    const url = process.env[variable];
    if (url === undefined || url === '') describe.skip(`${name}: ${variable} names no server`, () => undefined);
    else suite({ name, start: async () => ({ url, send: sender(url), stop: async () => undefined }) });
  }
}

/** A text is sent as lines of a `_bulk`. */
function sender(url: string): StartedServer['send'] {
  return async (method, path, body) => {
    const isLines = typeof body === 'string';
    const response = await fetch(`${url}${path}`, {
      method,
      headers: { 'content-type': isLines ? 'application/x-ndjson' : 'application/json' },
      ...(body !== undefined && { body: isLines ? body : JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as Answered['body'] };
  };
}
