import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** What the answers of one connection hold, and how to stop the count. */
interface Holding {
  readonly bytes: Map<ServerResponse, number>;
  readonly forget: () => void;
}

/**
 * Answers that are written and that their callers have not taken yet. They are memory that a caller decides about, so
 * both are bounded: how long a caller may take not a single byte, and how much all of them hold together.
 */
export class UnsentAnswers {
  readonly #most: number;
  readonly #cut: (socket: Socket, reason: 'write_timeout' | 'unsent_limit') => void;
  /** In the order in which connections began to hold something. */
  readonly #holdings = new Map<Socket, Holding>();
  #bytes = 0;
  /** Milliseconds without a byte taken. */
  timeout = 0;

  /** `most` bytes at a time. `cut` ends a connection. */
  constructor(most: number, cut: (socket: Socket, reason: 'write_timeout' | 'unsent_limit') => void) {
    this.#most = most;
    this.#cut = cut;
  }

  /** Bytes that are held. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Takes up an answer that has ended and is not sent as a whole. */
  add(response: ServerResponse): void {
    const { socket } = response.req;
    const holding = this.#holdings.get(socket) ?? this.#begin(socket);
    const length = response.writableLength;
    holding.bytes.set(response, length);
    this.#bytes += length;
    // Before Node's own listener, which starts the time limit of an idle connection.
    response.prependOnceListener('finish', () => this.#sent(socket, response));
    this.watch(response);
    this.#cutOldest();
  }

  #cutOldest(): void {
    while (this.#bytes > this.#most && this.#holdings.size > 1) {
      const [oldest] = this.#holdings.keys() as Iterable<Socket> as [Socket];
      this.#end(oldest, 'unsent_limit');
    }
  }

  /** Takes up an answer that continues when its caller has taken what is written of it. */
  hold(response: ServerResponse): void {
    const { socket } = response.req;
    const holding = this.#holdings.get(socket) ?? this.#begin(socket);
    if (holding.bytes.has(response)) return;
    const length = response.writableLength;
    holding.bytes.set(response, length);
    this.#bytes += length;
    response.prependOnceListener('drain', () => this.#sent(socket, response));
    this.watch(response);
    this.#cutOldest();
  }

  /** Limits the time of an answer that is the next one to be sent on its connection. */
  watch(response: ServerResponse): void {
    // Node starts the time again with every byte that the system could send.
    response.socket?.setTimeout(this.timeout);
  }

  #begin(socket: Socket): Holding {
    const late = () => this.#end(socket, 'write_timeout');
    const gone = () => this.#forget(socket);
    socket.once('timeout', late);
    socket.once('close', gone);
    const forget = () => {
      socket.removeListener('timeout', late);
      socket.removeListener('close', gone);
    };
    const holding = { bytes: new Map<ServerResponse, number>(), forget };
    this.#holdings.set(socket, holding);
    return holding;
  }

  #sent(socket: Socket, response: ServerResponse): void {
    const holding = this.#holdings.get(socket);
    if (holding === undefined) return;
    this.#bytes -= holding.bytes.get(response) ?? 0;
    holding.bytes.delete(response);
    socket.setTimeout(0);
    if (holding.bytes.size === 0) this.#forget(socket);
  }

  #end(socket: Socket, reason: 'write_timeout' | 'unsent_limit'): void {
    this.#forget(socket);
    this.#cut(socket, reason);
  }

  #forget(socket: Socket): void {
    const holding = this.#holdings.get(socket);
    if (holding === undefined) return;
    holding.forget();
    this.#holdings.delete(socket);
    for (const length of holding.bytes.values()) this.#bytes -= length;
  }
}
