import { randomUUID } from 'node:crypto';
import { afterEach, expect } from 'vitest';
import { configured } from '../../../../../test/support/configured.ts';
import { connectorServices } from '../../../../../test/support/connector-services.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { CallResult } from '../../../foundation/contracts/call-result.ts';
import type { Connector, ConnectorServices } from '../../../foundation/contracts/connector.ts';
import type { CallDescription, CallRequest, Execute } from '../../../foundation/contracts/target.ts';
import type { Failure } from '../../../foundation/errors/failure.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { search } from '../spec.ts';
import { serverUrl } from './address.ts';
import { SearchServer } from './server.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

/** A double that is closed when the test ends. */
export async function startServer(): Promise<SearchServer> {
  const server = await SearchServer.start();
  cleanups.push(() => server.close());
  return server;
}

/** A name that no other test has. */
export function indexName(): string {
  return `books-${randomUUID()}`;
}

/** An open connector, closed when the test ends. */
export async function openConnector(
  written: Readonly<Record<string, unknown>>,
  services: ConnectorServices = connectorServices(),
): Promise<TargetConnector> {
  const connector = makeConnector(written, services);
  cleanups.push(() => connector.close(AbortSignal.abort()));
  await connector.open(new AbortController().signal);
  return connector;
}

export function makeConnector(
  written: Readonly<Record<string, unknown>>,
  services: ConnectorServices = connectorServices(),
): TargetConnector {
  return create('books', configured(search.config, { ...written }), services) as TargetConnector;
}

/** A connector of the real server, or of a double, with an index of its own that shows what is written at once. */
export async function libraryOf(written: Readonly<Record<string, unknown>> = {}): Promise<TargetConnector> {
  const url = serverUrl ?? (await startServer()).url;
  return openConnector({ url, index: indexName(), refresh: 'immediate', ...written });
}

export function prepared(connector: Connector, call: Partial<CallDescription>): Execute {
  return (connector.target as TargetConnector['target']).prepare({
    verb: 'read',
    operation: undefined,
    target: undefined,
    query: undefined,
    timeout: undefined,
    exact: false,
    flow: 'f',
    label: 'to "books"',
    ...call,
  });
}

/** Executes one call that is described by what differs from a read. */
export async function run(
  connector: Connector,
  call: Partial<CallDescription>,
  request: CallRequest = {},
): Promise<CallResult> {
  return prepared(connector, call)(request);
}

/** What a promise is rejected with. */
export async function failureOf(promise: Promise<unknown>): Promise<Failure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

/** A double behind a proxy, for the suite of all targets. */
export async function searchBed(): Promise<TargetBed> {
  const server = await SearchServer.start();
  server.index('stuck').put('1', { text: 'stuck' }, false);
  const proxy = await faultProxy({ port: server.port });
  return {
    spec: search,
    connector: (services) =>
      makeConnector(
        {
          url: `http://127.0.0.1:${proxy.port}`,
          index: 'texts',
          timeout: 10_000,
          username: 'svc',
          password: 'kept:secret',
          headers: { 'x-key': 'kept-secret-too' },
        },
        services,
      ),
    call: { verb: 'create', operation: 'index' },
    echo: async (execute, text) => {
      const { id } = await execute({ payload: { text } });
      return server.index('texts').documents.get(String(id))?.source['text'];
    },
    stuck: {
      call: { verb: 'read', target: 'stuck' },
      request: {},
      begun: () => server.held.size > 0,
      release: () => server.release(),
      isLeft: () => server.held.size > 0,
    },
    proxy,
    malformed: ['find', 'GET /books', 'search books'],
    secrets: ['kept:secret', 'kept-secret-too', Buffer.from('svc:kept:secret').toString('base64')],
    close: async () => {
      await proxy.close();
      await server.close();
    },
  };
}
