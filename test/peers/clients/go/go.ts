import { join } from 'node:path';
import { GoSource, missingGo } from '../../go.ts';
import type { Peer } from '../../peer.ts';
import { checkClient, service } from '../desk.ts';

export const go: Peer = {
  name: 'Clients of Go',
  version: 'net/http of 1.26, genqlient 0.8, grpc-go 1.84, coder/websocket 1.8, go-sse 0.12',
  ran: 'calls of REST (HTTP/2 too), GraphQL, gRPC, WebSocket, server-sent events',
  needs: [],
  missing: missingGo,
  run: async () => {
    const source = new GoSource('client-go', join(import.meta.dirname), {
      beside: [join(service, 'desk.graphql')],
      generate: ['tool', 'genqlient'],
    });
    return checkClient({ program: await source.path(), args: [] }, [
      'soap: an order',
      'soap: a fault with the refused fields',
    ]);
  },
  differs: [],
};
