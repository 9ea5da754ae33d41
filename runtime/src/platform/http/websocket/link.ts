import type { WebSocket } from 'ws';
import type { ConnectionCut } from '../../../foundation/contracts/connector.ts';
import { HeldFrames } from '../live/held-frames.ts';
import type { Receiver } from '../live/outbox.ts';
import type { LateBodies } from '../sockets/late-bodies.ts';
import { MessagePace, tooSlow } from './message-pace.ts';

/** Times in milliseconds, sizes in bytes. */
export interface LinkOptions {
  readonly pingInterval: number;
  readonly pongTimeout: number;
  /** Most bytes that the peer has not taken. */
  readonly mostUnsent: number;
  /** Hears why a connection was ended because of its peer. */
  readonly cut: (reason: ConnectionCut) => void;
  /** A frame that goes out with each ping, where the protocol above has pings of its own. */
  readonly pingFrame?: Buffer | undefined;
  /** Messages whose frames do not come to an end. */
  readonly late: LateBodies;
  /** Bytes that have come over the connection. */
  readonly received: () => number;
}

/** Bytes that are sent as they are, where a text is sent otherwise. */
export class BinaryFrame {
  readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    this.bytes = bytes;
  }

  get length(): number {
    return this.bytes.length;
  }
}

/** A text in UTF-8, or bytes. */
export type SocketFrame = Buffer | BinaryFrame;

const text = { binary: false } as const;
const binary = { binary: true } as const;
/** How long a peer may take to answer a closing handshake. */
const closeTime = 1000;

/** One open connection: bounded in what it holds for its peer, and ended when its peer is dead. */
export class Link implements Receiver<SocketFrame> {
  readonly #socket: WebSocket;
  readonly #options: LinkOptions;
  #timer: NodeJS.Timeout | undefined;
  #awaitsPong = false;
  readonly #pace: MessagePace;
  readonly #held = new HeldFrames<SocketFrame>((frame) => this.#write(frame));
  /** Made with the first: most links do without. */
  #whenTaken: (() => void)[] | undefined;

  constructor(socket: WebSocket, options: LinkOptions) {
    this.#socket = socket;
    this.#options = options;
    socket.on('pong', () => {
      if (this.#awaitsPong) this.#rest();
    });
    const { late, received } = options;
    this.#pace = new MessagePace(socket, { late, received, end: this.#endSlow });
    socket.once('close', () => {
      clearTimeout(this.#timer);
      this.#held.clear();
      this.#whenTaken = undefined;
    });
    this.#rest();
  }

  /** The sub-protocol that was chosen; empty: none. */
  get protocol(): string {
    return this.#socket.protocol;
  }

  /** Whether the peer has taken everything that was sent to it, as far as the system says. */
  get isTaken(): boolean {
    return this.#socket.bufferedAmount === 0;
  }

  /** Calls once when everything that was sent has been taken; never when the connection ends before. */
  whenTaken(act: () => void): void {
    if (this.isTaken) act();
    else (this.#whenTaken ??= []).push(act);
  }

  /** Sends a frame. A peer that does not read what it is sent is disconnected. */
  send(frame: SocketFrame): void {
    this.#held.send(frame);
  }

  hold(frame: SocketFrame): void {
    if (this.#socket.readyState === this.#socket.OPEN) this.#held.hold(frame);
  }

  release(): void {
    this.#held.release();
  }

  skip(): void {
    this.#held.skip();
  }

  #write(frame: SocketFrame): void {
    const socket = this.#socket;
    if (socket.readyState !== socket.OPEN) return;
    const unsent = socket.bufferedAmount;
    if (unsent > 0 && unsent + frame.length > this.#options.mostUnsent) {
      this.#options.cut('unsent_limit');
      this.close(1013, 'the client reads too slowly');
    } else if (frame instanceof BinaryFrame) socket.send(frame.bytes, binary, this.#flushed);
    else socket.send(frame, text, this.#flushed);
  }

  readonly #flushed = (): void => {
    while (this.#whenTaken !== undefined && this.isTaken) {
      const act = this.#whenTaken.shift();
      if (act === undefined) this.#whenTaken = undefined;
      act?.();
    }
  };

  /** Says goodbye, and ends the connection when the peer does not answer. */
  close(code: number, reason: string): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    clearTimeout(this.#timer);
    // A paused connection would not see the answer.
    this.#socket.resume();
    this.#socket.close(code, reason);
    this.#timer = setTimeout(() => this.#socket.terminate(), closeTime);
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  #rest(): void {
    clearTimeout(this.#timer);
    this.#awaitsPong = false;
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    this.#timer = setTimeout(() => this.#ping(), this.#options.pingInterval);
  }

  readonly #endSlow = (): void => {
    this.#options.cut('read_timeout');
    this.close(tooSlow.code, tooSlow.reason);
  };

  #ping(): void {
    // While its frames are not read, no pong can come.
    if (this.#socket.isPaused) {
      this.#rest();
      return;
    }
    this.#awaitsPong = true;
    this.#pace.look();
    this.#socket.ping();
    if (this.#options.pingFrame !== undefined) this.send(this.#options.pingFrame);
    this.#timer = setTimeout(() => {
      // A pong may come behind many messages.
      if (this.#socket.isPaused || this.#pace.hasHeard) {
        this.#rest();
        return;
      }
      this.#options.cut('pong_timeout');
      this.#socket.terminate();
    }, this.#options.pongTimeout);
  }
}
