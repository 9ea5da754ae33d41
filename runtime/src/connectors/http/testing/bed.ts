import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../connector.ts';
import { http } from '../spec.ts';

/** A server behind a proxy that answers with the requested text, and does not answer requests for `/stuck`. */
export async function httpBed(): Promise<TargetBed> {
  const held = new Set<ServerResponse>();
  let isReleased = false;
  const answer = (response: ServerResponse, text: string | null) =>
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://here');
    if (pathname !== '/stuck' || isReleased) {
      answer(response, searchParams.get('text'));
      return;
    }
    held.add(response);
    response.once('close', () => held.delete(response));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy = await faultProxy({ port: (server.address() as AddressInfo).port });
  return {
    spec: http,
    connector: (services) => {
      const written = {
        base_url: `http://127.0.0.1:${proxy.port}`,
        timeout: 10_000,
        auth: { type: 'basic', username: 'svc', password: 'kept:secret' },
        headers: { 'x-api-key': 'kept-secret-too' },
      };
      return create('api', configured(http.config, written), services) as TargetConnector;
    },
    call: { operation: 'GET /echo' },
    echo: async (execute, text) => ((await execute({ params: { text } })).value as { text?: unknown }).text,
    stuck: {
      call: { operation: 'GET /stuck' },
      request: {},
      begun: () => held.size > 0,
      release: () => {
        isReleased = true;
        for (const response of held) answer(response, null);
      },
      isLeft: () => held.size > 0,
    },
    proxy,
    malformed: ['FETCH /a', 'GET //elsewhere/a', 'loans'],
    secrets: ['kept:secret', 'kept-secret-too', Buffer.from('svc:kept:secret').toString('base64')],
    close: async () => {
      await proxy.close();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
