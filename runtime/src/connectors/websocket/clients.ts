import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { WebSocket, WebSocketServer } from 'ws';
import type { ConnectionCut } from '../../contracts/connector.ts';
import type { AdmittedUpgrade } from '../../contracts/http.ts';
import type { Auth } from '../../contracts/message.ts';
import { Failure } from '../../errors/failure.ts';
import type { Codec } from '../../formats/registry.ts';
import { refusal } from '../../http/refusal.ts';
import { endWith } from '../../http/sockets/linger.ts';
import { Backlog, Inbox } from './backlog.ts';
import { Client, type ClientContext, type Peer } from './client.ts';
import type { ClientDriver } from './driver.ts';
import { Link } from './link.ts';
import { LiveSession } from './live-session.ts';
import { Outbox } from './outbox.ts';
import { Rooms } from './rooms.ts';

/** Frames of one client that may come in one piece before they are handled; a client that sends more is disconnected. */
const mostAtOnce = 1000;
const nothing = Buffer.alloc(0);
/** What the answers of handshakes under way carry beside their own. */
const handshakeHeaders = new WeakMap<IncomingMessage, readonly string[]>();

/** Times in milliseconds, sizes in bytes. */
export interface ClientsOptions {
  readonly pingInterval: number;
  readonly pongTimeout: number;
  readonly mostClients: number;
  /** Frames of one client that wait, before it is read no more for a while. */
  readonly maxWaiting: number;
  /** Bytes of waiting frames, all clients together. */
  readonly maxBacklog: number;
  /** Bytes that a client has not taken. */
  readonly maxUnsent: number;
  /** The parameter of the query string that carries a credential: no flow sees it. */
  readonly secretParameter: string | undefined;
  readonly production: boolean;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  readonly cut: (reason: ConnectionCut) => void;
}

/** The connected clients of one connector. */
export class Clients {
  readonly rooms = new Rooms<Client>();
  /** What is sent to many goes out through it. */
  readonly outbox = new Outbox();
  readonly #options: ClientsOptions;
  readonly #driver: ClientDriver;
  readonly #backlog: Backlog;
  #context: ClientContext | undefined;
  #server: WebSocketServer | undefined;
  /** Connected, or gone and not handled to the end. */
  #count = 0;
  #made = 0;
  #isOpen = false;
  #whenEmpty: (() => void)[] = [];

  constructor(options: ClientsOptions, driver: ClientDriver) {
    this.#options = options;
    this.#driver = driver;
    this.#backlog = new Backlog(options.maxBacklog);
  }

  open(server: WebSocketServer, json: Codec): void {
    const { production } = this.#options;
    this.#server = server;
    server.on('headers', (lines, request) => {
      const headers = handshakeHeaders.get(request) ?? [];
      for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    });
    this.#context = { rooms: this.rooms, driver: this.#driver, json, production };
    this.#isOpen = true;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Answers the handshake; the connection is that of a client from then on. */
  take(request: IncomingMessage, socket: Duplex, head: Buffer, admitted: AdmittedUpgrade): void {
    const refused = this.#refused;
    if (refused !== undefined) {
      this.#refuse(socket, refused);
      return;
    }
    const peer = this.#peerOf(request, admitted);
    handshakeHeaders.set(request, admitted.headers);
    this.#server?.handleUpgrade(request, socket, head, (opened) => this.#connected(opened, peer, admitted));
  }

  /** Says goodbye to everybody; resolves when every connection is closed. */
  async close(code: number, reason: string): Promise<void> {
    this.#isOpen = false;
    for (const { link } of this.rooms.all) link.close(code, reason);
    if (this.rooms.all.size > 0) await new Promise<void>((resolve) => this.#whenEmpty.push(resolve));
  }

  /** Why no client is taken now. */
  get #refused(): Failure | undefined {
    if (!this.#isOpen) return new Failure('overloaded', 'the service takes no more clients', { retryAfter: 1000 });
    if (this.#count < this.#options.mostClients) return undefined;
    return new Failure('overloaded', 'there are too many clients; try again shortly', { retryAfter: 1000 });
  }

  #refuse(socket: Duplex, failure: Failure): void {
    const { status, body, headers } = refusal(failure, this.#options.production);
    const lines = [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, 'Connection: close'];
    for (let at = 0; at < headers.length; at += 2) lines.push(`${headers[at]}: ${headers[at + 1]}`);
    lines.push('Content-Type: application/json; charset=utf-8', `Content-Length: ${Buffer.byteLength(body)}`);
    endWith(socket, `${lines.join('\r\n')}\r\n\r\n${body}`);
  }

  #peerOf({ socket }: IncomingMessage, { auth, query }: AdmittedUpgrade): Peer {
    const params = new Map<string, string>();
    for (const [name, value] of Object.entries(query)) {
      if (name === this.#options.secretParameter) continue;
      params.set(name, Array.isArray(value) ? (value[0] ?? '') : value);
    }
    return { id: String(++this.#made), auth, params, remoteAddress: `${socket.remoteAddress}:${socket.remotePort}` };
  }

  #connected(socket: WebSocket, peer: Peer, admitted: AdmittedUpgrade): void {
    const { pingInterval, pongTimeout, maxUnsent: mostUnsent, maxWaiting, cut } = this.#options;
    const link = new Link(socket, { pingInterval, pongTimeout, mostUnsent, cut });
    const client = new Client(peer, link, this.#context as ClientContext);
    const session = new LiveSession(admitted.stillKnown, pingInterval, link);
    const inbox = new Inbox(maxWaiting, this.#backlog, link, (happening) => {
      const handled =
        happening.kind === 'frame' ? session.within(() => client.handle(happening)) : client.handle(happening);
      if (happening.kind !== 'disconnect') return handled;
      if (handled === undefined) this.#count--;
      return handled?.then(() => void this.#count--);
    });
    this.#count++;
    this.rooms.add(client);
    socket.on('message', (data) => {
      if (socket.readyState !== socket.OPEN) return;
      if (inbox.length >= mostAtOnce) link.close(1008, 'too many messages at once');
      else inbox.push({ kind: 'frame', bytes: data as Buffer });
    });
    const left = timeLeft(peer.auth, this.#options.now());
    const forget =
      left === undefined ? () => undefined : after(left, () => link.close(1008, 'the credentials have expired'));
    // What breaks the protocol closes the connection; `close` follows.
    socket.on('error', () => undefined);
    socket.once('close', () => {
      forget();
      session.forget();
      this.rooms.remove(client);
      inbox.push({ kind: 'disconnect', bytes: nothing });
      if (this.rooms.all.size === 0) for (const tell of this.#whenEmpty.splice(0)) tell();
    });
    inbox.push({ kind: 'connect', bytes: nothing });
  }
}

/** The longest that a timer waits. */
const longestWait = 2 ** 31 - 1;

/** Does something after so many milliseconds, however many they are, unless it is cancelled. */
function after(milliseconds: number, act: () => void): () => void {
  let left = milliseconds;
  let timer: NodeJS.Timeout;
  const wait = () => {
    const part = Math.min(left, longestWait);
    left -= part;
    timer = setTimeout(left > 0 ? wait : act, part);
  };
  wait();
  return () => clearTimeout(timer);
}

/** Milliseconds for which the token of a client is valid (RFC 7519, section 4.1.4); undefined without an end. */
function timeLeft({ claims }: Auth, now: number): number | undefined {
  const { exp } = claims;
  if (typeof exp !== 'number' && typeof exp !== 'bigint') return undefined;
  return Math.max(Number(exp) * 1000 - now, 1);
}
