/**
 * Carries texts between two ends. One implementation of the protocol serves every kind of connection through it: a
 * socket, a worker, the standard streams, two ends joined in memory.
 */
export interface Channel {
  /**
   * Hands one text over, in order. A promise resolves when the text left this end, so that a sender can wait; texts
   * that leave together share one.
   */
  send(text: string): void | Promise<void>;
  /** Texts of the other end, in order, from now on. Called once. */
  receive(take: (text: string) => void): void;
  /** Ends the connection; `code` is one of RFC 6455, section 7.4. May be called again. */
  close(code?: number, reason?: string): void;
  /** Resolves when the connection is over, whichever end closed it. */
  readonly closed: Promise<void>;
}

/** Two ends in one process. Texts arrive in a later microtask, in order. */
export function joinedChannels(): [Channel, Channel] {
  const over = Promise.withResolvers<void>();
  const left = new JoinedEnd(over);
  const right = new JoinedEnd(over);
  left.other = right;
  right.other = left;
  return [left, right];
}

class JoinedEnd implements Channel {
  other: JoinedEnd | undefined;
  readonly closed: Promise<void>;
  readonly #over: { readonly promise: Promise<void>; readonly resolve: () => void };
  #isOver = false;
  #take: ((text: string) => void) | undefined;
  /** What came before a listener was set. */
  #early: string[] = [];

  constructor(over: { readonly promise: Promise<void>; readonly resolve: () => void }) {
    this.#over = over;
    this.closed = over.promise;
    void over.promise.then(() => (this.#isOver = true));
  }

  send(text: string): void {
    if (this.#isOver) return;
    const { other } = this;
    void Promise.resolve().then(() => other?.arrive(text));
  }

  receive(take: (text: string) => void): void {
    this.#take = take;
    for (const text of this.#early.splice(0)) take(text);
  }

  arrive(text: string): void {
    if (this.#take === undefined) this.#early.push(text);
    else this.#take(text);
  }

  close(): void {
    this.#isOver = true;
    if (this.other !== undefined) this.other.#isOver = true;
    this.#over.resolve();
  }
}

/** What sockets of browsers, of Node and of its libraries have in common (WHATWG WebSockets, section 3). */
export interface SocketLike {
  send(text: string): void;
  close(code?: number, reason?: string): void;
  addEventListener(event: 'message', listen: (event: { readonly data: unknown }) => void): void;
  addEventListener(event: 'close', listen: () => void): void;
}

/** A channel over an open WebSocket of a client. Anything but text ends the connection with 1003. */
export function socketChannel(socket: SocketLike): Channel {
  return {
    send: (text) => socket.send(text),
    receive: (take) =>
      socket.addEventListener('message', ({ data }) => {
        if (typeof data === 'string') take(data);
        else socket.close(1003, 'text frames only');
      }),
    close: (code = 1000, reason = '') => socket.close(code, reason),
    closed: new Promise((resolve) => socket.addEventListener('close', () => resolve())),
  };
}
