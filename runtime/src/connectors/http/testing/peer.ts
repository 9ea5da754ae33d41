import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import type { Connector } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import { create } from '../connector.ts';
import { http } from '../spec.ts';

/** A request as it reached the server. */
export interface Seen {
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}

const cleanups: (() => Promise<unknown> | unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A server that is closed when the test ends. */
export async function listen(handle: RequestListener): Promise<{ url: string; server: Server }> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

/** A server that records requests and answers each with the next of `answers`; the last one again and again. */
export async function recorder(...answers: { status?: number; headers?: Record<string, string>; body?: unknown }[]) {
  const seen: Seen[] = [];
  const { url } = await listen((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (chunk) => (body += chunk));
    request.on('end', () => {
      seen.push({ method: request.method ?? '', url: request.url ?? '', headers: request.headers, body });
      const answer = answers[Math.min(seen.length, answers.length) - 1] ?? {};
      response.writeHead(answer.status ?? 200, { 'content-type': 'application/json', ...answer.headers });
      const content = answer.body ?? { ok: true };
      response.end(typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content));
    });
  });
  return { url, seen };
}

/** An open connector, closed when the test ends. */
export async function client(
  config: Record<string, unknown>,
  services = connectorServices(),
  prepare: (connector: Connector) => void = () => undefined,
): Promise<Connector> {
  const connector = create('api', configured(http.config, config), services);
  prepare(connector);
  await connector.open(new AbortController().signal);
  cleanups.push(() => connector.close());
  return connector;
}

/** Executes one call that is described by what differs from a plain one. */
export async function run(connector: Connector, call: Partial<CallDescription>, request: CallRequest = {}) {
  const execute = connector.target?.prepare({
    verb: 'call',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to',
    ...call,
  });
  return execute?.(request);
}

/** What a promise is rejected with. */
export async function failure(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}
