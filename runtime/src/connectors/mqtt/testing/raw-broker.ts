import { type AddressInfo, createServer, type Socket } from 'node:net';

/** The first byte of packets (MQTT 3.1.1, table 2.1). */
export const kinds = { connect: 1, publish: 3, puback: 4, subscribe: 8, pingreq: 12 } as const;
/** Answers that a broker gives when all is well. */
const connack = Uint8Array.of(0x20, 2, 0, 0);
const pingresp = Uint8Array.of(0xd0, 0);

/** A broker that accepts every client and says what a test wants. */
export interface RawBroker {
  readonly port: number;
  /** Connections that clients made so far. */
  readonly connected: number;
  /** Every packet that clients sent, whole. */
  readonly heard: readonly Buffer[];
  /** Packet identifiers that were acknowledged. */
  readonly acknowledged: readonly number[];
  close(): Promise<void>;
}

export interface RawBehaviour {
  /** Called when a client has subscribed, with the number of its connection from 1. */
  readonly subscribed?: (socket: Socket, connection: number) => void;
  /** Called with each connection, in the place of every answer. */
  readonly speaks?: (socket: Socket) => void;
}

export async function rawBroker({ subscribed, speaks }: RawBehaviour): Promise<RawBroker> {
  const open = new Set<Socket>();
  const acknowledged: number[] = [];
  const heard: Buffer[] = [];
  let connected = 0;
  const server = createServer((socket) => {
    const connection = ++connected;
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => open.delete(socket));
    if (speaks !== undefined) return speaks(socket);
    // Packets of these clients are short: a length of one byte.
    let rest = Buffer.alloc(0);
    socket.on('data', (piece) => {
      rest = Buffer.concat([rest, piece]);
      while (rest.length >= 2 && rest.length >= 2 + (rest[1] as number)) {
        const packet = rest.subarray(0, 2 + (rest[1] as number));
        rest = rest.subarray(packet.length);
        heard.push(packet);
        answer(packet);
      }
    });
    function answer(packet: Buffer): void {
      const kind = (packet[0] as number) >> 4;
      if (kind === kinds.connect) socket.write(connack);
      if (kind === kinds.pingreq) socket.write(pingresp);
      if (kind === kinds.puback) acknowledged.push(packet.readUInt16BE(2));
      if (kind !== kinds.subscribe) return;
      socket.write(Uint8Array.of(0x90, 3, packet[2] as number, packet[3] as number, 1));
      subscribed?.(socket, connection);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    get connected() {
      return connected;
    },
    heard,
    acknowledged,
    close() {
      for (const socket of open) socket.resetAndDestroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/** A PUBLISH of quality of service 1 with a packet identifier. */
export function publishPacket(topic: Uint8Array, id: number, payload: Uint8Array): Buffer {
  const length = 2 + topic.length + 2 + payload.length;
  const digits: number[] = [];
  for (let left = length; ; left = Math.floor(left / 128)) {
    digits.push((left % 128) | (left >= 128 ? 0x80 : 0));
    if (left < 128) break;
  }
  return Buffer.concat([
    Uint8Array.of((kinds.publish << 4) | 2, ...digits, topic.length >> 8, topic.length & 0xff),
    topic,
    Uint8Array.of(id >> 8, id & 0xff),
    payload,
  ]);
}
