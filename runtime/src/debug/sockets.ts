import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Channel } from '@svc/protocol/wire';
import { type WebSocket, WebSocketServer } from 'ws';
import { subprotocolOf } from './access.ts';
import type { DebugEndpoint } from './endpoint.ts';

/** Limits of decisions 33. */
const mostSockets = 64;
const largestFrame = 1_048_576;
/** Milliseconds between two pings; a peer that did not answer the last one is gone. */
const heartbeat = 30_000;

/** Milliseconds that peers have to answer the end of their connection. */
const farewell = 500;

/** The endpoint behind WebSockets. */
export class DebugSockets {
  readonly #endpoint: DebugEndpoint;
  readonly #server = new WebSocketServer({
    noServer: true,
    maxPayload: largestFrame,
    perMessageDeflate: false,
    handleProtocols: subprotocolOf,
  });

  constructor(endpoint: DebugEndpoint) {
    this.#endpoint = endpoint;
  }

  /** Takes over a connection whose request was let in. */
  accept(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    this.#server.handleUpgrade(request, socket, head, (opened) => {
      if (this.#endpoint.connections >= mostSockets) {
        opened.on('error', () => opened.terminate());
        return opened.close(1013, 'too many debug connections');
      }
      this.#endpoint.connect(channelOf(opened));
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

/** A socket as a channel; a text counts as gone when it was handed to the system. */
function channelOf(socket: WebSocket): Channel {
  let isAlive = true;
  const beat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    socket.ping();
  }, heartbeat);
  beat.unref();
  socket.on('pong', () => (isAlive = true));
  // Frames that are too large or malformed end the connection with their code; `close` follows.
  socket.on('error', () => undefined);
  return {
    send: (text) =>
      new Promise((resolve) => {
        if (socket.readyState === socket.OPEN) socket.send(text, () => resolve());
        else resolve();
      }),
    receive: (take) =>
      socket.on('message', (data, isBinary) => {
        isAlive = true;
        if (isBinary) socket.close(1003, 'text frames only');
        else take(String(data));
      }),
    close: (code = 1000, reason = '') => socket.close(code, reason),
    closed: new Promise((resolve) =>
      socket.on('close', () => {
        clearInterval(beat);
        resolve();
      }),
    ),
  };
}
