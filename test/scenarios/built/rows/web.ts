import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { freePort } from '../../../support/free-port.ts';
import { ask } from '../../scenario.ts';
import { answering, type Row, sending } from '../row.ts';

export const web: readonly Row[] = [
  {
    name: 'rest',
    connector: 'rest',
    start: async (name) => {
      const port = await freePort();
      return {
        block: { host: '127.0.0.1', port },
        hcl: answering(name, 'operation = "POST /echo"'),
        takes: async (text) => {
          const { body } = await ask('POST', `http://127.0.0.1:${port}/echo`, { text });
          return (body as { readonly text?: unknown }).text;
        },
      };
    },
  },
  {
    name: 'http',
    connector: 'http',
    start: async (name) => {
      const server = createServer((request, response) => {
        const text = new URL(request.url ?? '/', 'http://here').searchParams.get('text');
        response.setHeader('content-type', 'application/json').end(JSON.stringify({ text }));
      });
      await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
      return {
        block: { base_url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` },
        hcl: sending(name, 'operation = "GET /echo"\nparams = { text = "input.text" }', 'step.sent.text'),
        close: () => {
          server.closeAllConnections();
          server.close();
        },
      };
    },
  },
];
