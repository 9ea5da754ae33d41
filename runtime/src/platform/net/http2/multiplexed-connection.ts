import type { ClientHttp2Session } from 'node:http2';
import type { Socket } from 'node:net';

/** Requests at a time over one connection, where its peer allows more. */
const mostUnderWay = 100;
/** Milliseconds that a connection without requests is kept. */
const keptIdle = 60_000;
/** Milliseconds in which a connection that is over is closed by both sides. */
const lingering = 1_000;

export interface ConnectionEvents {
  /** There is room for a request. */
  free(): void;
  /** It is closed. `served` is false where no answer ever came over it. */
  ended(served: boolean, error: Error | undefined): void;
}

/** A connection of HTTP/2 that has the settings of its peer. */
export class MultiplexedConnection {
  /** Pieces of answers that have come. */
  heard = 0;
  /** Why it broke. */
  error: Error | undefined;
  readonly session: ClientHttp2Session;
  readonly #socket: Socket;
  readonly #events: ConnectionEvents;
  #underWay = 0;
  #isRetired = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(session: ClientHttp2Session, socket: Socket, events: ConnectionEvents) {
    this.session = session;
    this.#socket = socket;
    this.#events = events;
    session.on('goaway', () => this.retire());
    session.on('remoteSettings', () => this.#events.free());
    session.on('error', (error) => {
      this.error ??= error;
      this.retire();
    });
    session.once('close', () => {
      clearTimeout(this.#timer);
      this.#isRetired = true;
      this.#events.ended(this.heard > 0, this.error);
    });
    this.#wait();
  }

  get hasRoom(): boolean {
    const { session } = this;
    if (this.#isRetired || session.closed || session.destroyed) return false;
    return this.#underWay < Math.min(mostUnderWay, session.remoteSettings.maxConcurrentStreams ?? mostUnderWay);
  }

  get isRetired(): boolean {
    return this.#isRetired;
  }

  get isIdle(): boolean {
    return this.#underWay === 0;
  }

  begin(): void {
    this.#underWay++;
    clearTimeout(this.#timer);
  }

  /** A request is over, however it ended. */
  end(): void {
    this.#underWay--;
    this.#wait();
    this.#events.free();
  }

  /** It takes no further requests, and ends with those under way. */
  retire(): void {
    if (this.#isRetired) return;
    this.#isRetired = true;
    this.#wait();
  }

  destroy(error: Error): void {
    this.error ??= error;
    this.session.destroy(error);
    this.#socket.destroy();
  }

  #wait(): void {
    if (this.#underWay > 0) return;
    clearTimeout(this.#timer);
    if (this.session.destroyed) return;
    if (this.#isRetired) {
      this.session.close();
      this.#timer = setTimeout(() => this.#socket.destroy(), lingering).unref();
    } else this.#timer = setTimeout(() => this.retire(), keptIdle).unref();
  }
}
