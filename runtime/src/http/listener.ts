import {
  createServer,
  type IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { totalmem } from 'node:os';
import type { Duplex } from 'node:stream';
import type { HttpApplication } from '../contracts/http.ts';
import { Failure } from '../errors/failure.ts';
import { ambiguity, answerTo, limited, type MalformedAnswer, malformed, refuseAndClose } from './malformed.ts';
import { UnsentAnswers } from './unsent-answers.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Where an application can be reached. */
export interface BoundAddress {
  readonly host: string;
  /** The port in use, also when the system chose it. */
  readonly port: number;
}

/** Why a connection was ended before its caller was done. */
export type CutReason = 'read_timeout' | 'write_timeout' | 'unsent_limit';

export interface ListenerOptions {
  /** Who listens, for messages. Default: the connectors. */
  readonly title?: string;
  /** Hears of connections that could not be taken, such as for want of file handles. */
  readonly failed?: (error: Error) => void;
  /** Hears of connections that were ended because of their callers. */
  readonly cut?: (reason: CutReason) => void;
  /** Most bytes of answers that callers have not taken, all connections together. */
  readonly mostUnsent?: number;
}

/** What answers that nobody takes may hold: a quarter of the memory that the process has. */
const standardUnsent = Math.floor((process.constrainedMemory() || totalmem()) / 4);

/** Turns of the loop without a new connection after which none waits. */
const quietTurns = 3;
/** Turns in which more are taken at most: no time limit, since a process that is short of time has the most to take. */
const mostTurns = 1_000;

const turnOfLoop = () => new Promise((resolve) => setImmediate(resolve));

/**
 * One listening socket. It outlives the generations of the service: `swap` puts the next application behind it, and
 * requests that the old one has taken finish there.
 */
export class HttpListener {
  readonly #connectors: readonly string[];
  readonly #title: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly #unsent: UnsentAnswers;
  readonly #cut: (reason: CutReason) => void;
  #application: HttpApplication;
  #draining = false;
  /** Connections taken so far. */
  #accepted = 0;

  /** `connectors` are those that are served there. */
  constructor(connectors: readonly string[], application: HttpApplication, options: ListenerOptions = {}) {
    const { title = titleOf(connectors), failed = (error) => process.emitWarning(error) } = options;
    this.#connectors = connectors;
    this.#title = title;
    this.#application = application;
    this.#cut = options.cut ?? (() => undefined);
    const unsent = new UnsentAnswers(options.mostUnsent ?? standardUnsent, (socket, reason) => {
      socket.destroy();
      this.#cut(reason);
    });
    this.#unsent = unsent;
    const isDraining = () => this.#draining;
    /** While draining, every answer asks the caller to close, also those that were begun before. */
    class WatchedResponse<R extends IncomingMessage> extends ServerResponse<R> {
      override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
        if (isDraining()) this.shouldKeepAlive = false;
        return super.writeHead(status, reason as string, headers);
      }

      override write(chunk: unknown, encoding?: unknown, done?: unknown): boolean {
        const flows = super.write(chunk as string, encoding as BufferEncoding, done as () => void);
        if (!flows && !this.writableEnded) unsent.hold(this);
        return flows;
      }

      override end(chunk?: unknown, encoding?: unknown, done?: () => void): this {
        super.end(chunk, encoding as BufferEncoding, done);
        if (this.writableLength > 0) unsent.add(this);
        return this;
      }

      /** Answers of pipelined requests get the connection one after another. */
      override assignSocket(socket: Socket): void {
        super.assignSocket(socket);
        if (this.writableEnded) unsent.watch(this);
      }
    }
    this.#server = createServer({
      ServerResponse: WatchedResponse,
      insecureHTTPParser: false,
      requireHostHeader: false,
      connectionsCheckingInterval: 1000,
      shouldUpgradeCallback: (request) => this.#upgrades(request),
    });
    this.#server.on('request', (request, response) => this.#take(request, response));
    // Whoever reads the body gives leave to send it (RFC 9110, 10.1.1), so that refusals come before an upload.
    this.#server.on('checkContinue', (request, response) => this.#take(request, response));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy();
      else this.#refuse(answerTo(error), { socket: socket as Socket, headers: {} });
    });
    // Without it one refused connection would end the process.
    this.#server.on('error', (error) => {
      if (this.#server.listening) failed(error);
    });
    this.#server.on('connection', (socket) => {
      this.#accepted++;
      this.#sockets.add(socket);
      this.#application.accepted?.();
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#apply();
  }

  /** Starts to take connections. Rejects with a Failure that names connector and port when the port cannot be had. */
  async listen(): Promise<BoundAddress> {
    const { host, port } = this.#application;
    await new Promise<void>((resolve, reject) => {
      const refused = (cause: NodeJS.ErrnoException) =>
        reject(cannotListen(this.#title, this.#connectors[0] ?? '', host, port, cause));
      this.#server.once('error', refused);
      this.#server.listen({ port, ...(host !== '' && { host }) }, () => {
        this.#server.removeListener('error', refused);
        resolve();
      });
    });
    const bound = this.#server.address() as AddressInfo;
    return { host: bound.address, port: bound.port };
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

  /** Answers close their connections from now on, so that callers move elsewhere; new connections are still taken. */
  retire(): void {
    this.#draining = true;
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
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Node counts a connection that never sent anything as busy until its headers are overdue.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
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

  #take(request: IncomingMessage, response: ServerResponse): void {
    // What was pipelined behind a refused request is not looked at.
    if (!request.socket.writable) return;
    const ambiguous = ambiguity(request);
    if (ambiguous === undefined) this.#application.handle(request, response as Parameters<RequestListener>[1]);
    else this.#refuse({ ...malformed, text: ambiguous }, request, response);
  }

  /** Refuses what cannot be served, unless its caller has sent too much of it (then it is told so instead). */
  #refuse(answer: MalformedAnswer, peer: Pick<IncomingMessage, 'socket' | 'headers'>, own?: ServerResponse): void {
    const { socket } = peer;
    if (answer.code === 'read_timeout') this.#cut('read_timeout');
    const taken = this.#application.limitMalformed?.(peer);
    if (taken === undefined) refuseAndClose(socket, answer, undefined, own);
    else
      void Promise.resolve(taken).then((token) => {
        const told = limited(token, answer);
        refuseAndClose(socket, told.answer, told.retryAfter, own);
      });
  }

  #upgrades(request: IncomingMessage): boolean {
    const { upgrade, upgrades } = this.#application;
    return upgrade !== undefined && upgrades?.(request) !== false;
  }

  readonly #upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const ambiguous = ambiguity(request);
    if (ambiguous === undefined) this.#application.upgrade?.(request, socket, head);
    else this.#refuse({ ...malformed, text: ambiguous }, request);
  };

  #apply(): void {
    // Without this listener, requests for another protocol are like any other.
    this.#server.removeListener('upgrade', this.#upgrade);
    if (this.#application.upgrade !== undefined) this.#server.on('upgrade', this.#upgrade);
    const { readTimeout, writeTimeout, idleTimeout, maxConnections } = this.#application.limits;
    this.#unsent.timeout = writeTimeout;
    this.#server.requestTimeout = readTimeout;
    this.#server.headersTimeout = readTimeout;
    this.#server.keepAliveTimeout = idleTimeout;
    this.#server.maxConnections = maxConnections ?? Number.POSITIVE_INFINITY;
  }
}

function titleOf(connectors: readonly string[]): string {
  const names = connectors.map((name) => `"${name}"`);
  return names.length > 1 ? `connectors ${names.slice(0, -1).join(', ')} and ${names.at(-1)}` : `connector ${names[0]}`;
}

function cannotListen(
  title: string,
  connector: string,
  host: string,
  port: number,
  cause: NodeJS.ErrnoException,
): Failure {
  const where = host === '' ? `port ${port}` : `port ${port} of ${host}`;
  const why = reasons[cause.code ?? ''] ?? cause.message;
  const at = { connector };
  return new Failure('connector_refused', `${title} cannot listen on ${where}: ${why}`, {
    cause,
    at,
    retriable: false,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
};
