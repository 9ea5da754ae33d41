import type { Duplex } from 'node:stream';
import { endWith } from '../../../platform/http/sockets/linger.ts';

const phrases: Readonly<Record<number, string>> = {
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'Not Found',
  421: 'Misdirected Request',
  500: 'Internal Server Error',
};

/** Answers an upgrade as the HTTP request that it still is, and ends the connection. */
export function refuse(socket: Duplex, status: number, reason: string): void {
  const body = JSON.stringify({ error: reason });
  const challenge = status === 401 ? 'WWW-Authenticate: Bearer\r\n' : '';
  endWith(
    socket,
    `HTTP/1.1 ${status} ${phrases[status]}\r\nContent-Type: application/json; charset=utf-8\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nCache-Control: no-store\r\n${challenge}Connection: close\r\n\r\n${body}`,
  );
}
