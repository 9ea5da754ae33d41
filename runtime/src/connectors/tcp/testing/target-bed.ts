import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { configured } from '../../../../../test/support/configured.ts';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import type { TargetBed, TargetConnector } from '../../testing/target-conformance.ts';
import { create } from '../client/connector.ts';
import { tcpClient } from '../client/spec.ts';
import { prefixed } from '../frames.ts';
import { jsonFrame } from './talker.ts';

/** A server that answers every message with its data, and one that says `wait` when it is released. */
export async function targetBed(): Promise<TargetBed> {
  const held = new Set<() => void>();
  const sockets = new Set<Socket>();
  let isReleased = false;
  const server = createServer((socket) => {
    const reader = prefixed.reader(1 << 26);
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
    socket.on('data', (piece: Buffer) => {
      for (const message of reader.take(piece)) {
        const { id, data } = JSON.parse(String(message)) as { id: string; data: { text?: unknown } };
        const answer = () => void socket.write(jsonFrame({ type: 'response', id, data }));
        if (data.text === 'wait' && !isReleased) held.add(answer);
        else answer();
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await faultProxy({ port: (server.address() as AddressInfo).port });
  return {
    spec: tcpClient,
    connector: (services) => {
      const settings = { host: '127.0.0.1', port: proxy.port, retry_count: 1, retry_delay: 10, read_timeout: 2_000 };
      return create('devices', configured(tcpClient.config, settings), services) as TargetConnector;
    },
    call: { verb: 'call', operation: 'echo' },
    echo: async (execute, text) => {
      const { value } = await execute({ params: { text } });
      return (value as { readonly text: unknown }).text;
    },
    stuck: {
      call: { verb: 'call', operation: 'echo' },
      request: { params: { text: 'wait' } },
      begun: () => held.size > 0,
      release: () => {
        isReleased = true;
        for (const answer of held) answer();
        held.clear();
      },
      isLeft: () => false,
    },
    proxy,
    malformed: [],
    secrets: [],
    close: async () => {
      await proxy.close();
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
