import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A TCP proxy that can keep what the server says, and loses nothing of it. */
export interface Gate {
  readonly port: number;
  /** Bytes that the server said and that are kept. */
  readonly kept: number;
  hold(): void;
  release(): void;
  close(): Promise<void>;
}

export async function gate(target: { readonly host: string; readonly port: number }): Promise<Gate> {
  const open = new Set<Socket>();
  let kept: [Socket, Buffer][] = [];
  let isHeld = false;
  const server = createServer((client) => {
    const upstream = connect(target.port, target.host);
    for (const [from, to] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
    }
    client.on('data', (piece) => void upstream.write(piece));
    upstream.on('data', (piece) => {
      if (isHeld) kept.push([client, piece]);
      else client.write(piece);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get kept() {
      return kept.reduce((sum, [, { length }]) => sum + length, 0);
    },
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      for (const [to, piece] of kept) if (!to.destroyed) to.write(piece);
      kept = [];
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
