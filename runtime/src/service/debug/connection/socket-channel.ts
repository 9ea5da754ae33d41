import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Channel } from '@svc/protocol/wire';
import type { WebSocket } from 'ws';
import type { LateBodies } from '../../../platform/http/sockets/late-bodies.ts';
import { MessagePace, tooSlow } from '../../../platform/http/websocket/message-pace.ts';
import { textFrames } from './text-frames.ts';

/** Milliseconds between two pings; a peer that did not answer the last one is gone. */
const heartbeat = 30_000;

/** Milliseconds in which a slow peer must answer the close frame. */
const farewell = 1_000;

/** Characters that are written without waiting for the end of the turn. */
const largestBatch = 65_536;

/**
 * A socket as a channel; a text counts as gone when it was handed to the system. `raw` is the connection below it, `late` are
 * the messages that do not come to an end, which are looked for with each ping.
 */
export function channelOf(socket: WebSocket, raw: Socket, late: LateBodies, every = heartbeat): Channel {
  let isAlive = true;
  const pace = new MessagePace(socket, {
    late,
    received: () => raw.bytesRead,
    end: () => {
      socket.close(tooSlow.code, tooSlow.reason);
      // A peer that is slow need not answer.
      setTimeout(() => socket.terminate(), farewell).unref();
    },
  });
  const beat = setInterval(() => {
    if (!isAlive) return socket.terminate();
    isAlive = false;
    pace.look();
    socket.ping();
  }, every);
  beat.unref();
  socket.on('pong', () => (isAlive = true));
  // Frames that are too large or malformed end the connection with their code; `close` follows.
  socket.on('error', () => undefined);
  const batches = new Batches(socket, raw);
  return {
    send: (text) => batches.send(text),
    receive: (take) =>
      socket.on('message', (data, isBinary) => {
        isAlive = true;
        if (isBinary) socket.close(1003, 'text frames only');
        else take(String(data));
      }),
    close: (code = 1000, reason = '') => {
      batches.flush();
      socket.close(code, reason);
    },
    closed: new Promise((resolve) =>
      socket.on('close', () => {
        clearInterval(beat);
        batches.flush();
        resolve();
      }),
    ),
  };
}

/** Texts of one turn of the event loop go out in one write, which costs little more than one of them. */
class Batches {
  readonly #socket: WebSocket;
  readonly #raw: Duplex;
  #texts: string[] = [];
  #size = 0;
  #gone: PromiseWithResolvers<void> | undefined;

  constructor(socket: WebSocket, raw: Duplex) {
    this.#socket = socket;
    this.#raw = raw;
  }

  /** The same promise for every text of a batch. */
  send(text: string): Promise<void> {
    if (this.#gone === undefined) {
      this.#gone = Promise.withResolvers();
      setImmediate(this.flush);
    }
    const { promise } = this.#gone;
    this.#texts.push(text);
    this.#size += text.length;
    if (this.#size >= largestBatch) this.flush();
    return promise;
  }

  readonly flush = (): void => {
    const gone = this.#gone;
    if (gone === undefined) return;
    const texts = this.#texts;
    this.#gone = undefined;
    this.#texts = [];
    this.#size = 0;
    // Frames without compression are written as they are; those that the library writes itself come before or after.
    if (this.#socket.readyState === this.#socket.OPEN) this.#raw.write(textFrames(texts), () => gone.resolve());
    else gone.resolve();
  };
}
