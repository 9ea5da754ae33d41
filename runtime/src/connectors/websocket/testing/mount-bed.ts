import type { HttpMount } from '../../../foundation/contracts/http.ts';
import { type MountBed, password } from '../../../platform/http/testing/mount-conformance.ts';
import type { EventConnector } from '../../intake/testing/conformance.ts';
import { WebSocketBed } from './bed.ts';

/** One connector that keeps its clients, whose flows are bound again with each mount. */
export async function mountBed(): Promise<MountBed> {
  const bed = new WebSocketBed();
  let connector: EventConnector | undefined;
  return {
    mount: async (services) => {
      connector ??= bed.connector({ auth: { type: 'basic', users: { ada: password } } }, services);
      const bound = bed.bind(connector, {});
      await bound.prepare();
      await connector.open(new AbortController().signal);
      bound.use();
      return bound.http as HttpMount;
    },
    requests: [],
    upgrade: {
      path: '/ws',
      protocol: 'websocket',
      headers: 'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n',
    },
    close: () => bed.close(),
  };
}
