import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { BoundAddress, HttpApplication } from '../../../foundation/contracts/http.ts';
import { cannotListen } from '../../net/listening/cannot-listen.ts';
import { ListeningSockets } from '../../net/listening/sockets.ts';
import { byFirstBytes } from '../http2/first-bytes.ts';
import { Http2Sessions } from '../http2/sessions.ts';
import { LateBodies } from './late-bodies.ts';
import {
  ambiguity,
  answerTo,
  late,
  limited,
  type MalformedAnswer,
  malformed,
  refuseAndClose,
  unmetExpectation,
} from './malformed.ts';
import { OpenConnections } from './open-connections.ts';
import { receivedOver } from './received-request.ts';
import { linkConnections, releaseConnection } from './stream-links.ts';
import { UnsentAnswers } from './unsent-answers.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Why a connection was ended before its caller was done. */
export type CutReason = 'read_timeout' | 'write_timeout' | 'unsent_limit' | 'pipelining' | 'frames';

export interface ListenerOptions {
  /** Who listens, for messages. Default: the connectors. */
  readonly title?: string;
  /** Called with connections that could not be taken, such as for want of file handles. */
  readonly failed?: (error: Error) => void;
  /** Called with connections that were ended because of their callers. */
  readonly cut?: (reason: CutReason) => void;
  /** Sockets of the address, where the system lets several share it; 1 where no burst of connections is expected. */
  readonly sockets?: number;
  /** Most bytes of answers that callers have not taken, all connections together. */
  readonly mostUnsent?: number;
  /** Most requests that wait for the answers before them; beyond it a connection has a few at most. */
  readonly mostPipelined?: number;
}

/** What answers that no caller takes may hold: a quarter of the memory that the process has. */
const standardUnsent = Math.floor((process.constrainedMemory() || totalmem()) / 4);

/**
 * Requests that may wait for the answers before them on their connections, all together; beyond that, one connection keeps
 * no more than the second figure. Node makes objects of every request in a piece of 64 KiB before it can stop reading,
 * some 10 KiB for a request of 28 bytes: without a bound a caller that reads nothing pins 25 MB with each connection.
 */
const standardPipelined = 4_096;
const mostPipelinedEach = 128;

/** Turns of the loop without a new connection after which no connection waits. */
const quietTurns = 3;
/** Turns in which more are taken at most: no time limit, since an overloaded process has the most to take. */
const mostTurns = 1_000;

/** Milliseconds in which a caller that has connected sends its first bytes, while the listener closes. */
const onItsWay = 250;

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/** An answer that may have to wait for those of earlier requests on its connection. */
interface Pipelined {
  isPipelined: boolean;
}

/**
 * Listens at one address. It outlives the generations of the service: `swap` puts the next application behind it, and
 * requests that the old one has taken finish there.
 */
export class HttpListener {
  readonly #connectors: readonly string[];
  readonly #title: string;
  readonly #server: Server;
  readonly #listening: ListeningSockets;
  readonly #sockets = new OpenConnections();
  readonly #unsent: UnsentAnswers;
  readonly #late = new LateBodies();
  /** How many requests wait for the answers before them, of connections that have some. */
  readonly #pipelined = new Map<Socket, number>();
  readonly #mostPipelined: number;
  /** The sum of those that wait. */
  #waiting = 0;
  readonly #cut: (reason: CutReason) => void;
  /** What Node does with a connection of HTTP/1.1. */
  readonly #takeHttp1: (socket: Socket) => void;
  /** The connections of HTTP/2; undefined: none were ever asked for. */
  #sessions: Http2Sessions | undefined = undefined;
  #application: HttpApplication;
  #draining = false;
  /** The request whose wish for another protocol was not followed, until it is taken. */
  #declined: IncomingMessage | undefined = undefined;
  #mostConnections = Number.POSITIVE_INFINITY;
  /** Connections taken so far. */
  #accepted = 0;

  /** `connectors` are those that are served there. */
  constructor(connectors: readonly string[], application: HttpApplication, options: ListenerOptions = {}) {
    linkConnections();
    const { title = titleOf(connectors), failed = (error) => process.emitWarning(error) } = options;
    this.#connectors = connectors;
    this.#title = title;
    this.#application = application;
    this.#mostPipelined = options.mostPipelined ?? standardPipelined;
    this.#cut = options.cut ?? (() => undefined);
    const unsent = new UnsentAnswers(options.mostUnsent ?? standardUnsent, (carrier, reason) => {
      carrier.destroy();
      this.#cut(reason);
    });
    this.#unsent = unsent;
    const isDraining = () => this.#draining;
    const takeTurn = (socket: Socket) => this.#forget(socket, 1);
    /** While draining, every answer asks the caller to close, also those that were begun before. */
    class WatchedResponse<R extends IncomingMessage> extends ServerResponse<R> implements Pipelined {
      /** In the prototype until it is true: a field would be written for every answer. */
      declare isPipelined: boolean;

      override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
        if (isDraining()) this.shouldKeepAlive = false;
        return super.writeHead(status, reason as string, headers);
      }

      override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
        const flows = super.write(chunk as string, encoding as BufferEncoding, done as () => void);
        if (!flows && !this.writableEnded) {
          unsent.watch(this.socket);
          unsent.hold(this, this.req.socket);
        }
        return flows;
      }

      override end(chunk?: unknown, encoding?: unknown, done?: () => void): this {
        super.end(chunk, encoding as BufferEncoding, done);
        if (this.writableLength > 0) {
          unsent.watch(this.socket);
          unsent.add(this, this.req.socket);
        }
        return this;
      }

      /** Answers of pipelined requests get the connection one after another. */
      override assignSocket(socket: Socket): void {
        super.assignSocket(socket);
        if (this.isPipelined) takeTurn(socket);
        if (this.writableEnded) unsent.watch(socket);
      }
    }
    WatchedResponse.prototype.isPipelined = false;
    this.#server = createServer({
      ServerResponse: WatchedResponse,
      insecureHTTPParser: false,
      requireHostHeader: false,
      connectionsCheckingInterval: 1000,
      shouldUpgradeCallback: (request) => this.#upgrades(request),
    });
    this.#takeHttp1 = this.#server.listeners('connection')[0] as (socket: Socket) => void;
    this.#server.on('request', (request, response) => this.#take(request, response));
    // The reader of the body answers `100 Continue` (RFC 9110, 10.1.1), so that refusals come before an upload.
    this.#server.on('checkContinue', (request, response) => this.#take(request, response));
    // Node's own answer is in no form of this service and keeps a body that is not read.
    this.#server.on('checkExpectation', (request, response) => {
      if (request.socket.writable) this.#refuse(unmetExpectation, request, response);
    });
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else this.#malformed(error, socket as Socket);
    });
    // Without it one refused connection would end the process.
    this.#server.on('error', (error) => {
      if (this.#server.listening) failed(error);
    });
    this.#server.on('connection', (socket) => {
      this.#accepted++;
      const connection = this.#sockets.add(socket);
      if (this.#sockets.size === this.#mostConnections) this.#listening.full = true;
      socket.on('close', () => {
        this.#sockets.remove(connection);
        releaseConnection(socket);
        this.#forget(socket, Number.POSITIVE_INFINITY);
        if (this.#sockets.size === this.#mostConnections - 1) this.#listening.full = false;
      });
    });
    this.#listening = new ListeningSockets(this.#server, options.sockets);
    this.#apply();
  }

  /** Starts to take connections. Rejects with a Failure that names connector and port when the port cannot be had. */
  async listen(): Promise<BoundAddress> {
    const { host, port } = this.#application;
    try {
      const bound = await this.#listening.listen(host, port);
      return { host: bound.address, port: bound.port };
    } catch (cause) {
      throw cannotListen(this.#title, this.#connectors[0] ?? '', host, port, cause as NodeJS.ErrnoException);
    }
  }

  /** Open connections. */
  get connections(): number {
    return this.#sockets.size;
  }

  /** Hands further requests to another application, under its limits. Host and port stay as they are. */
  swap(application: HttpApplication): void {
    this.#application = application;
    this.#apply();
  }

  /** Answers close their connections from now on, so that callers reconnect elsewhere; new connections are still taken. */
  retire(): void {
    this.#draining = true;
    this.#sessions?.retire();
  }

  /**
   * Takes no more connections and lets requests finish, each connection closing after its answer. Whatever is open when
   * `cut` fires is cut. Resolves when nothing is left, with the number of connections that were cut.
   */
  async close(cut: AbortSignal): Promise<number> {
    this.#draining = true;
    if (!this.#server.listening) return 0;
    await this.#takeWaiting(cut);
    if (!this.#server.listening) return 0;
    const closed = this.#listening.close();
    this.#sessions?.retire();
    this.#endSilent();
    let lost = 0;
    const end = () => {
      lost = this.#sockets.size;
      this.#server.closeAllConnections();
      // Those that speak another protocol are no longer the server's.
      for (const socket of this.#sockets) socket.destroy();
    };
    if (cut.aborted) end();
    else cut.addEventListener('abort', end, { once: true });
    await closed;
    cut.removeEventListener('abort', end);
    return lost;
  }

  /**
   * Takes the connections that the system holds for this process, and what came over them: closing the socket would reset
   * them, and a process that had no time for them for a moment would fail requests that it could have answered. Ends when
   * none came for some turns of the loop.
   */
  async #takeWaiting(cut: AbortSignal): Promise<void> {
    for (let turn = 0, quiet = 0; turn < mostTurns && quiet < quietTurns && !cut.aborted; turn++) {
      const before = this.#accepted;
      await turnOfLoop();
      quiet = this.#accepted === before ? quiet + 1 : 0;
    }
  }

  /**
   * Ends connections that never sent anything, which Node counts as busy until their headers are overdue. What a caller sent
   * when it connected may be on its way.
   */
  #endSilent(): void {
    const silent = [...this.#sockets].filter(({ bytesRead }) => bytesRead === 0);
    const end = () => {
      for (const socket of silent) if (socket.bytesRead === 0) socket.destroy();
    };
    if (silent.length > 0) setTimeout(end, onItsWay);
  }

  #malformed(error: NodeJS.ErrnoException, socket: Socket): void {
    const answer = answerTo(error);
    const body =
      answer === late ? receivedOver(socket, ({ headers }) => this.#refuse(late, { socket, headers })) : undefined;
    if (body === undefined) this.#refuse(answer, { socket, headers: {} });
    else this.#late.take(body);
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    // What was pipelined behind a refused request is not looked at.
    if (!request.socket.writable) return;
    // Node has lost what came behind it in the same piece: the answers to what comes later were taken for those to that.
    if (this.#declined === request) {
      this.#declined = undefined;
      response.shouldKeepAlive = false;
    }
    if (response.socket === null && !this.#mayWait(request.socket, response as ServerResponse & Pipelined)) return;
    const ambiguous = ambiguity(request);
    if (ambiguous === undefined) this.#application.handle(request, response as Parameters<RequestListener>[1]);
    else this.#refuse({ ...malformed, text: ambiguous }, request, response);
  }

  /** Counts a request whose answer has to wait for others; false when there are too many, and the connection is ended. */
  #mayWait(socket: Socket, response: Pipelined): boolean {
    const waiting = (this.#pipelined.get(socket) ?? 0) + 1;
    if (waiting > mostPipelinedEach && this.#waiting >= this.#mostPipelined) {
      socket.destroy();
      this.#cut('pipelining');
      return false;
    }
    response.isPipelined = true;
    this.#pipelined.set(socket, waiting);
    this.#waiting++;
    return true;
  }

  /** Ends the count of requests of a connection that wait no longer. */
  #forget(socket: Socket, count: number): void {
    const waiting = this.#pipelined.get(socket) ?? 0;
    this.#waiting -= Math.min(count, waiting);
    if (waiting > count) this.#pipelined.set(socket, waiting - count);
    else this.#pipelined.delete(socket);
  }

  /** Refuses what cannot be served, unless its caller has sent too much of it (then the answer says so instead). */
  #refuse(answer: MalformedAnswer, peer: Pick<IncomingMessage, 'socket' | 'headers'>, own?: ServerResponse): void {
    const { socket } = peer;
    if (answer.code === 'read_timeout') this.#cut('read_timeout');
    const { limitMalformed, problems = false } = this.#application;
    const taken = limitMalformed?.(peer);
    if (taken === undefined) refuseAndClose(socket, answer, undefined, own, problems);
    else
      void Promise.resolve(taken).then((token) => {
        const refusal = limited(token, answer);
        refuseAndClose(socket, refusal.answer, refusal.retryAfter, own, problems);
      });
  }

  #upgrades(request: IncomingMessage): boolean {
    const { upgrade, upgrades } = this.#application;
    if (upgrade !== undefined && upgrades?.(request) !== false) return true;
    this.#declined = request;
    return false;
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ambiguous = ambiguity(request);
    if (ambiguous === undefined) this.#application.upgrade?.(request, socket, head);
    else this.#refuse({ ...malformed, text: ambiguous }, request);
  };

  /** Without HTTP/2, Node takes connections as it always does. */
  #applyProtocols(): void {
    const { http2 = false } = this.#application;
    this.#server.removeListener('connection', this.#takeHttp1);
    this.#server.removeListener('connection', this.#takeByFirstBytes);
    this.#server.prependListener('connection', http2 ? this.#takeByFirstBytes : this.#takeHttp1);
    if (!http2) this.#sessions?.retire();
    else
      this.#sessions ??= new Http2Sessions({
        application: () => this.#application,
        isDraining: () => this.#draining || this.#application.http2 !== true,
        unsent: this.#unsent,
        late: this.#late,
        cut: this.#cut,
      });
  }

  readonly #takeByFirstBytes = (socket: Socket): void => {
    byFirstBytes(socket, this.#application.limits.readTimeout, (protocol) => {
      if (protocol === 'http2') this.#sessions?.take(socket);
      else {
        this.#takeHttp1.call(this.#server, socket);
        socket.resume();
      }
    });
  };

  #apply(): void {
    // Without this listener, requests for another protocol are like any other.
    this.#server.removeListener('upgrade', this.#upgrade);
    if (this.#application.upgrade !== undefined) this.#server.on('upgrade', this.#upgrade);
    this.#applyProtocols();
    const { readTimeout, readRate, writeTimeout, idleTimeout, maxConnections } = this.#application.limits;
    this.#unsent.timeout = writeTimeout;
    this.#late.readTimeout = readTimeout;
    this.#late.readRate = readRate;
    this.#server.requestTimeout = readTimeout;
    this.#server.headersTimeout = readTimeout;
    this.#server.keepAliveTimeout = idleTimeout;
    this.#mostConnections = maxConnections ?? Number.POSITIVE_INFINITY;
    this.#listening.full = this.#sockets.size >= this.#mostConnections;
  }
}

function titleOf(connectors: readonly string[]): string {
  const names = connectors.map((name) => `"${name}"`);
  return names.length > 1 ? `connectors ${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : `connector ${names[0]}`;
}
