import { createConnection } from 'node:net';

/**
 * Asks the server to stop what the connection with this key is doing (PostgreSQL, Frontend/Backend Protocol, "Canceling
 * Requests in Progress"). There is no answer: resolves with undefined when the server has closed the connection after the
 * request, and with the error when that has not happened within `timeout` milliseconds.
 */
export function sendCancel(
  host: string,
  port: number,
  processId: number,
  secretKey: number,
  timeout: number,
): Promise<Error | undefined> {
  const request = Buffer.alloc(16);
  request.writeInt32BE(16, 0);
  request.writeInt32BE(80_877_102, 4);
  request.writeInt32BE(processId, 8);
  request.writeInt32BE(secretKey, 12);
  return new Promise((resolve) => {
    const socket = host.startsWith('/')
      ? createConnection(`${host}/.s.PGSQL.${port}`)
      : createConnection({ host, port });
    let problem: Error | undefined;
    const silent = setTimeout(() => socket.destroy(new Error(`no answer within ${timeout} ms`)), timeout);
    socket.on('error', (error) => (problem = error));
    socket.on('close', () => {
      clearTimeout(silent);
      resolve(problem);
    });
    socket.on('connect', () => socket.end(request));
    socket.resume();
  });
}
