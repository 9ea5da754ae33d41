import {
  createSecureServer,
  type SecureServerOptions,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import { generate } from 'selfsigned';
import { onTestFinished } from 'vitest';

/** A certificate for this machine, which is its own authority. */
export async function ownCertificate() {
  const altNames = [{ type: 2, value: 'localhost' } as const, { type: 7, ip: '127.0.0.1' } as const];
  return generate([{ name: 'commonName', value: 'localhost' }], {
    algorithm: 'sha256',
    keySize: 2048,
    extensions: [
      { name: 'basicConstraints', cA: true },
      { name: 'subjectAltName', altNames },
    ],
  });
}

export type OwnCertificate = Awaited<ReturnType<typeof ownCertificate>>;

/** A server of HTTP/2, and of HTTP/1.1 where it allows that, which ends with the test. */
export interface Http2Peer {
  readonly url: string;
  readonly port: number;
  /** Connections that were made so far. */
  readonly made: number;
  /** Those of HTTP/2 that are open. */
  readonly sessions: ReadonlySet<ServerHttp2Session>;
  /** `POST /path` of each stream, in their order. */
  readonly seen: readonly string[];
}

/** `handle` is given each stream; `headers` are those of its request. */
export async function http2Peer(
  { cert, private: key }: OwnCertificate,
  handle: (stream: ServerHttp2Stream, headers: Readonly<Record<string, string | string[] | undefined>>) => void,
  options: SecureServerOptions = {},
): Promise<Http2Peer> {
  const seen: string[] = [];
  const sessions = new Set<ServerHttp2Session>();
  const sockets = new Set<TLSSocket>();
  let made = 0;
  const server = createSecureServer({ cert, key, ...options });
  server.on('secureConnection', (socket: TLSSocket) => {
    made++;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => undefined);
  });
  server.on('session', (session) => {
    sessions.add(session);
    session.on('close', () => sessions.delete(session)).on('error', () => undefined);
  });
  server.on('stream', (stream, headers) => {
    seen.push(`${headers[':method']} ${headers[':path']}`);
    stream.on('error', () => undefined);
    handle(stream, headers as Record<string, string | string[] | undefined>);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(async () => {
    for (const session of sessions) session.destroy();
    for (const socket of sockets) socket.destroy();
    await new Promise<void>((resolve) => void server.close(() => resolve()));
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `https://127.0.0.1:${port}`,
    port,
    get made() {
      return made;
    },
    sessions,
    seen,
  };
}

/** One frame of HTTP/2 (RFC 9113, 4.1). */
export function frame(type: number, flags: number, stream: number, payload: Uint8Array = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(payload.length, 0, 3);
  head.writeUInt8(type, 3);
  head.writeUInt8(flags, 4);
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

/** A header that its receiver does not keep (RFC 7541, 6.2.2), with a name and a value of less than 127 bytes. */
export function literal(name: string, value: string): Buffer {
  return Buffer.concat([
    Buffer.from([0, name.length]),
    Buffer.from(name),
    Buffer.from([value.length]),
    Buffer.from(value),
  ]);
}

/** `:status: 200` (RFC 7541, appendix A). */
export const status200 = Buffer.from([0x88]);

/** Whether what a client sent has the headers of a request: after a preface of 24 bytes (RFC 9113, 3.4) come frames. */
function hasRequest(received: Buffer): boolean {
  for (let at = 24; at + 9 <= received.length; at += 9 + received.readUIntBE(at, 3))
    if (received[at + 3] === 1) return true;
  return false;
}

/** A peer that chooses HTTP/2, sends its settings, and once the headers of a request have come what the test says. */
export async function rawHttp2Peer(
  { cert, private: key }: OwnCertificate,
  handle: (socket: TLSSocket) => void,
): Promise<{ readonly url: string; readonly open: ReadonlySet<TLSSocket> }> {
  const open = new Set<TLSSocket>();
  const server = createServer({ cert, key, ALPNProtocols: ['h2'] }, (socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    socket.write(frame(4, 0, 0));
    let received = Buffer.alloc(0);
    const read = (piece: Buffer) => {
      received = Buffer.concat([received, piece]);
      if (!hasRequest(received)) return;
      socket.off('data', read).resume();
      handle(socket);
    };
    socket.on('data', read);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return { url: `https://127.0.0.1:${(server.address() as AddressInfo).port}`, open };
}
