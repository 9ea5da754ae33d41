import { createConnection } from 'node:net';

/**
 * Asks the server to stop what the connection with this key is doing (PostgreSQL, Frontend/Backend Protocol, "Canceling
 * Requests in Progress"). Resolves when the request was sent or could not be within `timeout` milliseconds: there is no
 * answer.
 */
export function sendCancel(
  host: string,
  port: number,
  processId: number,
  secretKey: number,
  timeout: number,
): Promise<void> {
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/')
      ? createConnection(`${host}/.s.PGSQL.${port}`)
      : createConnection({ host, port });
    socket.setTimeout(timeout, () => socket.destroy());
    socket.on('error', () => undefined);
    socket.on('close', () => resolve());
    socket.on('connect', () => socket.end(request));
    socket.resume();
  });
}
