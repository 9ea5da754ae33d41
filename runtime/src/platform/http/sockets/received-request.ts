import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import type { ReceivedBody } from './late-bodies.ts';

/** The request that Node's parser receives on a connection, by the names that its own code has. */
interface Receiving {
  readonly parser?: { readonly incoming?: IncomingMessage | null } | null;
}

/** The body of HTTP/1.1 that is received over a connection; undefined: none is. `end` refuses its request. */
export function receivedOver(socket: Socket, end: (request: IncomingMessage) => void): ReceivedBody | undefined {
  const request = (socket as Receiving).parser?.incoming;
  if (request === undefined || request === null || request.complete) return undefined;
  return {
    isComplete: () => request.complete || socket.destroyed,
    received: () => socket.bytesRead,
    isUntaken: () => request.readableLength >= request.readableHighWaterMark,
    end: () => end(request),
  };
}
