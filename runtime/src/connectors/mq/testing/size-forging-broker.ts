import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** How a content header of channel 1 begins, before its size (AMQP 0-9-1, 4.2.6.1): type, channel. */
const header = Uint8Array.of(2, 0, 1);
/** Bytes from the beginning of such a frame to its class, and to the size of the body. */
const toClass = 7;
const toBodySize = 11;
const basic = 60;

/** A proxy in front of a broker that announces bodies of `size` bytes over its first `forged` connections. */
export async function sizeForgingBroker(
  url: string,
  size: bigint,
  forged = 1,
): Promise<{ readonly url: string; readonly connected: number; close(): Promise<void> }> {
  const { hostname, port } = new URL(url);
  const open = new Set<Socket>();
  let connected = 0;
  const server = createServer((client) => {
    const isForged = ++connected <= forged;
    const broker = connect(Number(port || 5672), hostname);
    for (const [from, to] of [
      [client, broker],
      [broker, client],
    ] as const) {
      open.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => to.destroy());
      from.on('data', (piece) => void to.write(isForged && from === broker ? withBodySize(piece, size) : piece));
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: url.replace(/@[^/]*/, `@127.0.0.1:${(server.address() as AddressInfo).port}`),
    get connected() {
      return connected;
    },
    close() {
      for (const socket of open) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

function withBodySize(piece: Buffer, size: bigint): Buffer {
  const changed = Buffer.from(piece);
  for (let at = changed.indexOf(header); at >= 0; at = changed.indexOf(header, at + 1))
    if (changed[at + toClass + 1] === basic && at + toBodySize + 8 <= changed.length)
      changed.writeBigUInt64BE(size, at + toBodySize);
  return changed;
}
