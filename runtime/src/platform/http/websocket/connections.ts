import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { ConnectionCut } from '../../../foundation/contracts/connector.ts';
import type { AdmittedUpgrade } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { Backlog } from '../../net/backlog.ts';
import { type CallerRate, Callers } from '../live/callers.ts';
import { type Peer, paramsOf } from '../live/peer.ts';
import { refusal } from '../refusal.ts';
import { LateBodies } from '../sockets/late-bodies.ts';
import { endWith } from '../sockets/linger.ts';
import { type Happening, Inbox } from './inbox.ts';
import { Link } from './link.ts';
import { LiveSession } from './live-session.ts';

/** Frames of one client that may come in one piece before they are handled; a client that sends more is disconnected. */
const mostAtOnce = 1000;
const nothing = Buffer.alloc(0);
/** What the answers of handshakes under way carry beside their own. */
const handshakeHeaders = new WeakMap<IncomingMessage, readonly string[]>();

/** Times in milliseconds, sizes in bytes. */
export interface ConnectionsOptions {
  readonly pingInterval: number;
  readonly pongTimeout: number;
  /** A frame that goes out with each ping, where the protocol above has pings of its own. */
  readonly pingFrame?: Buffer | undefined;
  readonly mostClients: number;
  /** Connections of one caller; absent: as many as there may be. */
  readonly mostOfCaller?: number | undefined;
  /** What a caller may send in a second; absent: as much as is handled. */
  readonly rate?: CallerRate | undefined;
  /** Frames of one client that wait, before it is read no more for a while. */
  readonly maxWaiting: number;
  /** Bytes of waiting frames, all clients together. */
  readonly maxBacklog: number;
  /** Bytes that a client has not taken. */
  readonly maxUnsent: number;
  /** The parameter of the query string that carries a credential: no flow sees it. */
  readonly secretParameter: string | undefined;
  /** The code with which a connection ends whose session or token has. */
  readonly endedCode: number;
  readonly production: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds of a clock that only moves forward. */
  readonly elapsed: () => number;
  readonly cut: (reason: ConnectionCut) => void;
}

/** One connection that was accepted. */
export interface Connection {
  readonly socket: WebSocket;
  readonly link: Link;
  readonly session: LiveSession;
  readonly peer: Peer;
}

/** What is done for one client. */
export interface Served {
  /** Handles what happened, a frame while the session lasts; resolves when the next may be handled. Never throws and never rejects. */
  handle(happening: Happening): Promise<void> | undefined;
  /** The connection is closed; `disconnect` is handled when everything before it is. */
  closed?(code: number, reason: string): void;
}

/** The connected WebSocket clients of one connector, whatever they say to it. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #serve: (connection: Connection, admitted: AdmittedUpgrade, request: IncomingMessage) => Served;
  readonly #backlog: Backlog;
  readonly #callers: Callers;
  readonly #late = new LateBodies();
  readonly #open = new Set<Link>();
  #server: WebSocketServer | undefined;
  /** Connected, or gone and not handled to the end. */
  #count = 0;
  #made = 0;
  #isOpen = false;
  #whenEmpty: (() => void)[] = [];

  constructor(
    options: ConnectionsOptions,
    serve: (connection: Connection, admitted: AdmittedUpgrade, request: IncomingMessage) => Served,
  ) {
    this.#options = options;
    this.#serve = serve;
    this.#backlog = new Backlog(options.maxBacklog);
    this.#callers = new Callers(options.mostOfCaller ?? Number.POSITIVE_INFINITY, options.rate, options.elapsed);
  }

  open(server: WebSocketServer): void {
    this.#server = server;
    server.on('headers', (lines, request) => {
      const headers = handshakeHeaders.get(request) ?? [];
      for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    });
    this.#isOpen = true;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Answers the handshake; the connection is that of a client from then on. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: AdmittedUpgrade): void {
    const refused = this.#refusedFor(admitted);
    if (refused !== undefined) {
      this.#refuse(socket, refused);
      return;
    }
    const peer = this.#peerOf(admitted);
    handshakeHeaders.set(request, admitted.headers);
    this.#server?.handleUpgrade(request, socket, head, (opened) => this.#connected(opened, peer, admitted, request));
  }

  /** Says goodbye to everybody; resolves when every connection is closed. */
  async close(code: number, reason: string): Promise<void> {
    this.#isOpen = false;
    for (const link of this.#open) link.close(code, reason);
    if (this.#open.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  /** Why no client is taken now. */
  #refusedFor({ auth }: AdmittedUpgrade): Failure | undefined {
    if (!this.#isOpen) return new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 });
    if (this.#count >= this.#options.mostClients)
      return new Failure('overloaded', 'there are too many clients; try again shortly', { retryAfter: 1000 });
    if (this.#callers.mayConnect(auth)) return undefined;
    return new Failure('rate_limited', 'this caller has too many connections', { retryAfter: 1000 });
  }

  #refuse(socket: Duplex, failure: Failure): void {
    const { status, body, headers } = refusal(failure, this.#options.production);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close'];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    lines.push('Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`);
    endWith(socket, `${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  #peerOf({ auth, query, remoteAddress }: AdmittedUpgrade): Peer {
    const params = paramsOf(query, this.#options.secretParameter);
    return { id: String(++this.#made), auth, params, remoteAddress };
  }

  #connected(socket: WebSocket, peer: Peer, admitted: AdmittedUpgrade, request: IncomingMessage): void {
    const { pingInterval, pongTimeout, pingFrame, maxUnsent: mostUnsent, maxWaiting, endedCode } = this.#options;
    const { cut, now } = this.#options;
    const late = this.#late;
    const received = () => request.socket.bytesRead;
    const link = new Link(socket, { pingInterval, pongTimeout, pingFrame, mostUnsent, late, received, cut });
    const session = new LiveSession({ interval: pingInterval, endedCode, now }, link);
    session.begin(peer.auth, admitted.stillKnown);
    const served = this.#serve({ socket, link, session, peer }, admitted, request);
    const inbox = new Inbox(maxWaiting, this.#backlog, link, (happening) => {
      const handled = served.handle(happening);
      if (happening.kind !== 'disconnect') return handled;
      if (handled === undefined) this.#count--;
      return handled?.then(() => void this.#count--);
    });
    const caller = this.#callers.connected(peer.auth);
    this.#count++;
    this.#open.add(link);
    socket.on('message', (data, isBinary) => {
      if (socket.readyState !== socket.OPEN) return;
      const bytes = data as Buffer;
      if (!caller.maySend(bytes.length)) {
        cut('rate_limit');
        link.close(1008, 'too many messages in a second');
      } else if (inbox.length >= mostAtOnce) link.close(1008, 'too many messages at once');
      else inbox.push({ kind: 'frame', bytes, isBinary });
    });
    // What breaks the protocol closes the connection; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', (code, reason) => {
      session.forget();
      this.#callers.disconnected(caller);
      this.#open.delete(link);
      served.closed?.(code, String(reason));
      inbox.push({ kind: 'disconnect', bytes: nothing });
      if (this.#open.size === 0) for (const tell of this.#whenEmpty.splice(0)) tell();
    });
    inbox.push({ kind: 'connect', bytes: nothing });
  }
}
