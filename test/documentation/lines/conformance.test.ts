import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import type { EventConnector, SourceBed } from '../../../runtime/src/connectors/intake/testing/conformance.ts';
import { eventSourceConformance } from '../../../runtime/src/connectors/intake/testing/conformance.ts';
import {
  type TargetBed,
  type TargetConnector,
  targetConformance,
} from '../../../runtime/src/connectors/testing/target-conformance.ts';
import { configured } from '../../support/configured.ts';
import { connectorServices } from '../../support/connector-services.ts';
import { freePort } from '../../support/free-port.ts';
import { faultProxy } from '../../support/proxy.ts';
import { create as createClient } from './client.ts';
import { linesOf } from './line-reader.ts';
import { create as createServerConnector } from './server.ts';
import { linesClient, linesServer } from './spec.ts';

const token = 'secret:unknown';

/** Each call of `publish` is a client of its own, which goes when it has been answered. */
async function sourceBed(): Promise<SourceBed> {
  const port = await freePort();
  const clients = new Set<Socket>();
  const drop = () => {
    for (const client of clients) client.destroy();
  };
  return {
    spec: linesServer,
    config: {},
    connector: ({ workers }) => {
      const config = configured(linesServer.config, { port, workers, token });
      return createServerConnector('scales', config, connectorServices()) as EventConnector;
    },
    binding: { flow: 'weigh', operation: undefined, words: {} },
    publish: async (bodies) => {
      const client = connect(port, '127.0.0.1');
      clients.add(client);
      client.on('error', () => undefined).resume();
      await once(client, 'connect');
      const lines = [token, ...bodies.map((text) => JSON.stringify({ text }))];
      await new Promise<void>((resolve) => client.write(`${lines.join('\n')}\n`, () => resolve()));
    },
    textOf: ({ text }) => text,
    cut: drop,
    close: async () => drop(),
  };
}

/** A server that answers every line with itself, and one that says `wait` when it is released. */
async function targetBed(): Promise<TargetBed> {
  const held = new Set<Socket>();
  let isReleased = false;
  const server = createServer(async (socket) => {
    socket.on('error', () => undefined);
    socket.on('close', () => held.delete(socket));
    try {
      for await (const line of linesOf(socket, 65_536)) {
        if (String(line) === token) continue;
        if (String(line).includes('"wait"') && !isReleased) held.add(socket);
        else socket.write(`${line}\n`);
      }
    } catch {
      // The client has gone.
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await faultProxy({ port: (server.address() as AddressInfo).port });
  return {
    spec: linesClient,
    connector: (services) => {
      const config = configured(linesClient.config, { port: proxy.port, token });
      return createClient('printer', config, services) as TargetConnector;
    },
    call: { verb: 'call', operation: 'send' },
    echo: async (execute, text) => {
      const { value } = await execute({ payload: { text } });
      return (value as { readonly text: unknown }).text;
    },
    stuck: {
      call: { verb: 'call', operation: 'send' },
      request: { payload: { text: 'wait' } },
      begun: () => held.size > 0,
      release: () => {
        isReleased = true;
        for (const socket of held) socket.write('{}\n');
      },
      isLeft: () => held.size > 0,
    },
    proxy,
    malformed: ['INSERT', 'sent', ''],
    secrets: [token],
    close: async () => {
      await proxy.close();
      server.close();
    },
  };
}

eventSourceConformance('lines', sourceBed);
targetConformance('lines', targetBed);
