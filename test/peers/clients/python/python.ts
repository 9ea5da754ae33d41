import { join } from 'node:path';
import { PythonPackage } from '../../../support/servers/brought/python-package.ts';
import type { Peer } from '../../peer.ts';
import { checkClient, service } from '../desk.ts';

const packages = new PythonPackage({
  name: 'grpcio',
  version: '1.85.3',
  beside: [
    'grpcio-tools==1.85.1',
    'grpcio-reflection==1.85.1',
    'grpcio-health-checking==1.85.1',
    'zeep==4.3.3',
    'gql[httpx,websockets]==4.4.0',
    'httpx[http2]==0.28.1',
    'httpx-sse==0.4.3',
    'websockets==17.4',
  ],
});

export const python: Peer = {
  name: 'Clients of Python',
  version: 'httpx 0.28, httpx-sse 0.4, gql 4.4, grpcio 1.85, zeep 4.3, websockets 17',
  ran: 'calls of REST (HTTP/2 too), GraphQL, gRPC, SOAP, WebSocket, server-sent events',
  needs: [],
  missing: () => (packages.isInstalled ? undefined : 'python3 with venv (apt-get install python3-venv)'),
  run: async () => {
    const args = [join(import.meta.dirname, 'client.py')];
    return checkClient({ program: await packages.python(), args, env: { PYTHONPATH: join(service, 'proto') } });
  },
  differs: [],
};
