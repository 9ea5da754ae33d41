import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { WebSocketServer } from 'ws';
import { LateBodies } from '../../../platform/http/sockets/late-bodies.ts';
import { subprotocolOf } from './access.ts';
import type { Answering } from './answering.ts';
import { channelOf } from './socket-channel.ts';

/** Limits of connections (docs/specification/debugging.md#sessions-and-limits). */
const mostSockets = 64;
const largestFrame = 1_048_576;
/** Milliseconds in which peers must answer the close frame. */
const farewell = 500;

/** The endpoint behind WebSockets. */
export class DebugSockets {
  readonly #endpoint: Answering;
  readonly #late = new LateBodies();
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: largestFrame,
    perMessageDeflate: false,
    handleProtocols: subprotocolOf,
  });

  constructor(endpoint: Answering) {
    this.#endpoint = endpoint;
  }

  /** Takes over a connection whose request was let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      if (this.#endpoint.connections >= mostSockets) {
        opened.on('error', () => opened.terminate());
        return opened.close(1013, 'too many debug connections');
      }
      this.#endpoint.connect(channelOf(opened, request.socket, this.#late));
    });
  }

  close(): void {
    this.#endpoint.close();
    this.#server.close();
    const cut = () => {
      for (const socket of this.#server.clients) socket.terminate();
    };
    setTimeout(cut, farewell).unref();
  }
}
