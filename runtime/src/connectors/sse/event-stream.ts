import type { ServerResponse } from 'node:http';
import type { ConnectionCut } from '../../foundation/contracts/connector.ts';
import type { Recipient } from '../../platform/http/live/broadcaster.ts';
import type { Caller } from '../../platform/http/live/callers.ts';
import { compareIds } from '../../platform/http/live/event-id.ts';
import { HeldFrames } from '../../platform/http/live/held-frames.ts';
import type { Peer } from '../../platform/http/live/peer.ts';
import type { LiveSession } from '../../platform/http/websocket/live-session.ts';
import { type EventFrame, retryFrame } from './frame.ts';

/** Bytes that are written of what was missed before the client has to take some. */
const mostAhead = 65_536;
/** How many events of what was missed are looked at in one turn of the event loop. */
const mostInTurn = 128;
/** How long a client may take nothing of what it missed, in milliseconds. */
const mostStalled = 30_000;

/** What all streams of a connector share. */
export interface EventStreamOptions {
  /** Most bytes that the client has not taken. */
  readonly mostUnsent: number;
  /** Hears why the stream was ended because of its client. */
  readonly cut: (reason: ConnectionCut) => void;
  readonly delivered: () => void;
  /** Hears that the connection is closed. */
  readonly ended: (stream: EventStream) => void;
}

/** What was sent before, one after another; undefined at the end. */
export type Missed = (after: string) => { readonly id: string; readonly frame: EventFrame | undefined } | undefined;

/** Without a listener, an error of a connection ends the process. */
const ignored = (): void => undefined;

/**
 * One open stream of events: bounded in what it holds for its client. Thousands are open and idle, so that what few of
 * them need is made when they need it.
 */
export class EventStream implements Recipient<EventFrame> {
  readonly peer: Peer;
  readonly caller: Caller;
  /** Of a caller whose session or token may end. */
  session: LiveSession | undefined = undefined;
  #rooms: Set<string> | undefined;
  readonly #response: ServerResponse;
  readonly #options: EventStreamOptions;
  #held: HeldFrames<EventFrame> | undefined;
  /** The last event that was sent or left out; nothing before it is sent again. */
  #last: string | undefined;
  /** What was missed is being sent: what comes meanwhile is found there. */
  #missed: Missed | undefined;
  #stalled: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(peer: Peer, caller: Caller, response: ServerResponse, options: EventStreamOptions) {
    this.peer = peer;
    this.caller = caller;
    this.#response = response;
    this.#options = options;
    response.on('close', () => this.#close());
    response.on('error', ignored);
  }

  get user(): string {
    return this.peer.auth.user_id;
  }

  get auth(): Peer['auth'] {
    return this.peer.auth;
  }

  get params(): Peer['params'] {
    return this.peer.params;
  }

  get rooms(): Set<string> {
    return (this.#rooms ??= new Set());
  }

  send(frame: EventFrame): void {
    if (this.#held === undefined) this.#write(frame);
    else this.#held.send(frame);
  }

  hold(frame: EventFrame): void {
    if (this.#isOver) return;
    this.#held ??= new HeldFrames((each) => this.#write(each));
    this.#held.hold(frame);
  }

  release(): void {
    this.#held?.release();
  }

  skip(): void {
    this.#held?.skip();
  }

  /** Sends what came after an event that the client got last, as fast as it takes it, and then what comes. */
  catchUp(last: string, missed: Missed): void {
    this.#last = last;
    this.#missed = missed;
    this.#sendMissed();
  }

  /** Has the client connect again after so many milliseconds, and ends the stream. */
  goAway(after: number): void {
    if (this.#isOver) return;
    this.#put(retryFrame(after));
    this.#isOver = true;
    this.#response.end();
  }

  #close(): void {
    this.#isOver = true;
    clearTimeout(this.#stalled);
    this.#held?.clear();
    this.#missed = undefined;
    this.#options.ended(this);
  }

  #write(frame: EventFrame): void {
    if (this.#isOver) return;
    const { id } = frame;
    if (id !== undefined) {
      if (this.#missed !== undefined) return;
      if (this.#last !== undefined && compareIds(id, this.#last) <= 0) return;
    }
    const unsent = this.#unsent;
    if (unsent > 0 && unsent + frame.length > this.#options.mostUnsent) this.#cut();
    else {
      this.#put(frame);
      if (id !== undefined) this.#options.delivered();
    }
  }

  #sendMissed(): void {
    for (let sent = 0; this.#missed !== undefined && !this.#isOver; sent++) {
      if (this.#unsent > mostAhead) return this.#whenTaken();
      if (sent >= mostInTurn) {
        setImmediate(() => this.#sendMissed());
        return;
      }
      const next = this.#missed(this.#last as string);
      if (next === undefined) {
        this.#missed = undefined;
        return;
      }
      this.#last = next.id;
      if (next.frame === undefined) continue;
      this.#put(next.frame);
      this.#options.delivered();
    }
  }

  #whenTaken(): void {
    const { socket } = this.#response;
    this.#stalled = setTimeout(() => this.#cut(), mostStalled);
    (socket ?? this.#response).once('drain', () => {
      clearTimeout(this.#stalled);
      this.#sendMissed();
    });
  }

  get #unsent(): number {
    const { socket, writableLength } = this.#response;
    return socket === null ? writableLength : socket.writableLength;
  }

  /** An answer that waits for the one before it has no connection yet. */
  #put(frame: EventFrame): void {
    const response = this.#response;
    const { socket } = response;
    if (socket === null) response.write(frame.bytes);
    else socket.write(response.chunkedEncoding ? frame.chunk : frame.bytes);
  }

  #cut(): void {
    this.#options.cut('unsent_limit');
    this.#isOver = true;
    this.#response.destroy();
  }
}
