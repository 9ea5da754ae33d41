import { afterEach, expect, test } from 'vitest';
import { configured } from '../../../test/support/configured.ts';
import { connectorServices, httpServices } from '../../../test/support/connector-services.ts';
import { freePort } from '../../../test/support/free-port.ts';
import type { BoundAddress, HttpMount } from '../foundation/contracts/http.ts';
import { HttpEdge } from '../platform/http/edge.ts';
import { HttpListener } from '../platform/http/sockets/listener.ts';
import { create as createGraphql } from './graphql/server/connector.ts';
import { graphqlServer } from './graphql/server/spec.ts';
import { create as createRest } from './rest/connector.ts';
import { rest } from './rest/spec.ts';
import { create as createSoap } from './soap/server/connector.ts';
import { soapServer } from './soap/server/spec.ts';
import { create as createSse } from './sse/connector.ts';
import { sse } from './sse/spec.ts';
import { create as createWebSocket } from './websocket/connector.ts';
import { websocket } from './websocket/spec.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

const services = connectorServices();
const servers = {
  graphql: (written: Record<string, unknown>) =>
    createGraphql('graph', configured(graphqlServer.config, written), services),
  rest: (written: Record<string, unknown>) => createRest('api', configured(rest.config, written), services),
  soap: (written: Record<string, unknown>) => createSoap('soap', configured(soapServer.config, written), services),
  sse: (written: Record<string, unknown>) => createSse('feed', configured(sse.config, written), services),
  websocket: (written: Record<string, unknown>) =>
    createWebSocket('live', configured(websocket.config, written), services),
};

/** Where a server with these settings listens. */
async function listening(kind: keyof typeof servers, written: Record<string, unknown>): Promise<BoundAddress> {
  const connector = servers[kind](written);
  const mount = connector.source?.bind([]).http as HttpMount;
  await connector.open(new AbortController().signal);
  const listener = new HttpListener([kind], new HttpEdge([mount], { ...services, http: httpServices() }));
  cleanups.push(
    () => connector.close(),
    () => listener.close(AbortSignal.abort()),
  );
  return listener.listen();
}

test.each(['rest', 'graphql', 'soap', 'sse', 'websocket'] as const)(
  '%s listens at the host and the port that are written',
  async (kind) => {
    const [one, other] = [await freePort(), await freePort()];
    expect(await listening(kind, { host: '127.0.0.1', port: one })).toEqual({ host: '127.0.0.1', port: one });
    const everywhere = await listening(kind, { port: other });
    expect([everywhere.port, ['::', '0.0.0.0', ''].includes(everywhere.host)]).toEqual([other, true]);
    for (const port of [one, other])
      expect([404, 405]).toContain((await fetch(`http://127.0.0.1:${port}/unserved`)).status);
  },
);
