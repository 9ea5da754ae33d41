import { connect as connectPlain, isIP, Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import type { ISocketFactoryArgs } from 'kafkajs';
import { rewriteData } from '../../../platform/net/rewritten-data.ts';
import { ResponseLimit } from './response-limit.ts';

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

  #limit(socket: Socket): void {
    const limit = new ResponseLimit(this.#mostBytes);
    const write = socket.write.bind(socket) as (bytes: Uint8Array, ...rest: unknown[]) => boolean;
    socket.write = ((bytes: Uint8Array, ...rest: unknown[]) => {
      limit.asked(bytes);
      return write(bytes, ...rest);
    }) as Socket['write'];
    rewriteData(socket, limit, (problem) => void socket.destroy(problem));
  }

  cut(reason: string): void {
    for (const socket of this.#open) socket.destroy(new Error(reason));
  }

  end(reason: string): void {
    this.#over ??= reason;
    this.cut(reason);
  }
}
