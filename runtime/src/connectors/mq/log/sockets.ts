import { connect as connectPlain, isIP, Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { FrameLimit } from '../../../net/frame-limit.ts';

type Listener = (bytes: Buffer) => void;

/** Milliseconds after which the system asks whether the other end is there. */
const keepAlive = 10_000;

/** The sockets that the client library opens. It ends none of them while it waits for an answer. */
export class Sockets {
  readonly #open = new Set<Socket>();
  readonly #mostBytes: number;
  #over: string | undefined;

  /** @param mostBytes of one response */
  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes;
  }

  connect({ host, port, ssl, onConnect }: ISocketFactoryArgs): Socket {
    const over = this.#over;
    if (over !== undefined) {
      const socket = new Socket();
      setImmediate(() => socket.destroy(new Error(over)));
      return socket;
    }
    const name = isIP(host) === 0 ? { servername: host } : {};
    const socket = ssl
      ? connectSecure({ host, port, ...name, ...ssl }, onConnect)
      : connectPlain({ host, port }, onConnect);
    socket.setKeepAlive(true, keepAlive);
    socket.setNoDelay(true);
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    this.#limit(socket);
    return socket;
  }

  /** The library reads what is too large before anything that listens beside it can end the socket. */
  #limit(socket: Socket): void {
    const limit = new FrameLimit({ most: this.#mostBytes });
    const listen = socket.on.bind(socket) as (event: string, listener: Listener) => Socket;
    const listenWithin = (event: string, listener: Listener) =>
      listen(event, event === 'data' ? (bytes: Buffer) => read(bytes, listener) : listener);
    const read = (bytes: Buffer, listener: Listener) => {
      if (limit.admits(bytes)) listener(bytes);
      else socket.destroy(new Error(`a broker sent a response of more than ${this.#mostBytes} bytes (max_response)`));
    };
    socket.on = listenWithin as Socket['on'];
  }

  cut(reason: string): void {
    for (const socket of this.#open) socket.destroy(new Error(reason));
  }

  end(reason: string): void {
    this.#over ??= reason;
    this.cut(reason);
  }
}
