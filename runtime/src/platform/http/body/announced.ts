import type { IncomingMessage } from 'node:http';
import type { StreamRequest } from '../http2/stream-request.ts';

/** How many bytes of an unwanted body are read so that the caller gets to see the answer. */
const discardLimit = 4 * 1024 * 1024;

/** Whether the request announces a body (RFC 9112, 6.3); in HTTP/2, its stream says so. */
export function hasBody(request: Pick<IncomingMessage, 'headers' | 'httpVersionMajor'>): boolean {
  if (request.httpVersionMajor === 2) return (request as unknown as StreamRequest).announcesBody;
  const length = request.headers['content-length'];
  return (length !== undefined && length !== '0') || request.headers['transfer-encoding'] !== undefined;
}

/** Reads the rest of a request, so that its connection stays usable, and gives the connection up when there is too much of it. */
export function discard(request: IncomingMessage): void {
  let read = 0;
  request.on('data', (chunk: Buffer) => {
    read += chunk.length;
    if (read > discardLimit) request.destroy();
  });
  request.on('error', () => undefined);
  request.resume();
}
