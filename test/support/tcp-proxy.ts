import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A proxy in front of a real server that can misbehave. */
export interface TcpProxy {
  readonly port: number;
  /** `hold` takes bytes and passes none on; `refuse` resets new connections. */
  mode: 'pass' | 'hold' | 'refuse';
  /** Times that the client sent something since this was last set to 0. */
  sends: number;
  /** Cuts every connection. */
  cut(): void;
  close(): Promise<void>;
}

export async function tcpProxy(host: string, port: number): Promise<TcpProxy> {
  const clients = new Set<Socket>();
  const server = createServer((client) => {
    client.on('error', () => {});
    if (proxy.mode === 'refuse') {
      client.resetAndDestroy();
      return;
    }
    clients.add(client);
    const upstream = connect(port, host).on('error', () => client.destroy());
    client.on('data', (bytes) => {
      proxy.sends++;
      if (proxy.mode === 'pass') upstream.write(bytes);
    });
    upstream.on('data', (bytes) => proxy.mode === 'pass' && client.write(bytes));
    upstream.on('close', () => client.destroy());
    client.on('close', () => {
      clients.delete(client);
      upstream.destroy();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: TcpProxy = {
    port: (server.address() as AddressInfo).port,
    mode: 'pass',
    sends: 0,
    cut: () => {
      for (const client of clients) client.resetAndDestroy();
    },
    close: () => {
      proxy.cut();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
  return proxy;
}
