import { join } from 'node:path';
import type { Peer } from '../../peer.ts';
import { missingPython, pythonWith } from '../../python.ts';
import { checkClient, service } from '../desk.ts';

const packages = [
  'grpcio==1.85.3',
  'grpcio-tools==1.85.1',
  'grpcio-reflection==1.85.1',
  'grpcio-health-checking==1.85.1',
  'zeep==4.3.3',
  'gql[httpx,websockets]==4.4.0',
  'httpx[http2]==0.28.1',
  'httpx-sse==0.4.3',
  'websockets==17.4',
] as const;

export const python: Peer = {
  name: 'Python',
  version: '3: httpx 0.28, httpx-sse 0.4, gql 4.4, grpcio 1.85, zeep 4.3, websockets 17',
  ran: 'calls of REST (HTTP/2 too), GraphQL, gRPC, SOAP, WebSocket, server-sent events',
  missing: missingPython,
  run: async () => {
    const program = await pythonWith('client-python', packages);
    const args = [join(import.meta.dirname, 'client.py')];
    return checkClient({ program, args, env: { PYTHONPATH: join(service, 'proto') } });
  },
  differs: [],
};
