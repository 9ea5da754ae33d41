import type { Socket } from 'node:net';

/** What a connection of HTTP/2 begins with, as far as no request of HTTP/1.1 does (RFC 9113, 3.4). */
const preface = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'latin1');

/** Hands a connection over when its first bytes say which protocol it speaks; one that says nothing in time is ended. */
export function byFirstBytes(
  socket: Socket,
  milliseconds: number,
  hand: (protocol: 'http1' | 'http2', socket: Socket) => void,
): void {
  let bytes: Buffer = Buffer.alloc(0);
  const over = setTimeout(() => socket.destroy(), milliseconds).unref();
  const fail = () => socket.destroy();
  const forget = () => {
    clearTimeout(over);
    socket.removeListener('data', read);
    socket.removeListener('end', fail);
    socket.removeListener('error', fail);
    socket.removeListener('close', forget);
  };
  const read = (chunk: Buffer) => {
    bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
    const length = Math.min(bytes.length, preface.length);
    const isHttp2 = bytes.subarray(0, length).equals(preface.subarray(0, length));
    if (isHttp2 && length < preface.length) return;
    forget();
    socket.pause();
    socket.unshift(bytes);
    hand(isHttp2 ? 'http2' : 'http1', socket);
  };
  socket.on('data', read);
  socket.on('end', fail);
  socket.on('error', fail);
  socket.on('close', forget);
}
