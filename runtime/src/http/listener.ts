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
import type { Duplex } from 'node:stream';
import type { HttpApplication } from '../connectors/contract.ts';
import { Failure } from '../errors/failure.ts';

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/** Where an application can be reached. */
export interface BoundAddress {
  readonly host: string;
  /** The port in use, also when the system chose it. */
  readonly port: number;
}

/**
 * One listening socket. It outlives the generations of the service: `swap` puts the next application behind it, and
 * requests that the old one has taken finish there.
 */
export class HttpListener {
  readonly #connector: string;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #application: HttpApplication;
  #draining = false;

  /** `failed` hears of connections that could not be taken, such as for want of file handles. */
  constructor(
    connector: string,
    application: HttpApplication,
    failed: (error: Error) => void = (error) => process.emitWarning(error),
  ) {
    this.#connector = connector;
    this.#application = application;
    const isDraining = () => this.#draining;
    /** While draining, every answer asks the caller to close, also those that were begun before. */
    class DrainingResponse<R extends IncomingMessage> extends ServerResponse<R> {
      override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
        if (isDraining()) this.shouldKeepAlive = false;
        return super.writeHead(status, reason as string, headers);
      }
    }
    this.#server = createServer({
      ServerResponse: DrainingResponse,
      insecureHTTPParser: false,
      requireHostHeader: false,
      connectionsCheckingInterval: 1000,
    });
    this.#server.on('request', (request, response) => this.#take(request, response));
    // Whoever reads the body gives leave to send it (RFC 9110, 10.1.1), so that refusals come before an upload.
    this.#server.on('checkContinue', (request, response) => this.#take(request, response));
    this.#server.on('clientError', refuseMalformed);
    // Without it one refused connection would end the process.
    this.#server.on('error', (error) => {
      if (this.#server.listening) failed(error);
    });
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket);
      socket.once('close', () => this.#sockets.delete(socket));
    });
    this.#applyLimits();
  }

  /** Starts to take connections. Rejects with a Failure that names connector and port when the port cannot be had. */
  async listen(): Promise<BoundAddress> {
    const { host, port } = this.#application;
    await new Promise<void>((resolve, reject) => {
      const refused = (cause: NodeJS.ErrnoException) => reject(cannotListen(this.#connector, host, port, cause));
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
    this.#applyLimits();
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
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    // Node counts a connection that never sent anything as busy until its headers are overdue.
    for (const socket of this.#sockets) if (socket.bytesRead === 0) socket.destroy();
    let lost = 0;
    const end = () => {
      lost = this.#sockets.size;
      this.#server.closeAllConnections();
    };
    if (cut.aborted) end();
    else cut.addEventListener('abort', end, { once: true });
    await closed;
    cut.removeEventListener('abort', end);
    return lost;
  }

  #take(request: IncomingMessage, response: ServerResponse): void {
    // What was pipelined behind a refused request is not looked at.
    if (!request.socket.writable) return;
    if (namesOneHost(request)) this.#application.handle(request, response as Parameters<RequestListener>[1]);
    else refuseMalformed(new Error('a request names exactly one host'), request.socket);
  }

  #applyLimits(): void {
    const { readTimeout, idleTimeout, maxConnections } = this.#application.limits;
    this.#server.requestTimeout = readTimeout;
    this.#server.headersTimeout = readTimeout;
    this.#server.keepAliveTimeout = idleTimeout;
    this.#server.maxConnections = maxConnections ?? Number.POSITIVE_INFINITY;
  }
}

function cannotListen(connector: string, host: string, port: number, cause: NodeJS.ErrnoException): Failure {
  const where = host === '' ? `port ${port}` : `port ${port} of ${host}`;
  const why =
    cause.code === 'EADDRINUSE'
      ? 'another program is listening there'
      : cause.code === 'EACCES'
        ? 'this user may not listen there'
        : cause.message;
  const at = { connector };
  return new Failure('connector_refused', `connector "${connector}" cannot listen on ${where}: ${why}`, { cause, at });
}

/** Whether there is exactly one Host, or none from an older client (RFC 9112, 3.2). Node would take the first of several. */
function namesOneHost({ rawHeaders, httpVersionMinor }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts === 1 || (hosts === 0 && httpVersionMinor === 0);
}

/** Answers what is no HTTP, or came too slowly, and closes: what follows on the connection cannot be trusted (S-66). */
function refuseMalformed(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const [status, text, code] = reasons[error.code ?? ''] ?? [
    '400 Bad Request',
    'the request is not valid HTTP',
    'malformed',
  ];
  const body = JSON.stringify({ error: text, code });
  const head = [
    `HTTP/1.1 ${status}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const reasons: Readonly<Record<string, readonly [status: string, text: string, code: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'the headers are too large', 'headers_too_large'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['413 Payload Too Large', 'the chunk extensions are too large', 'body_too_large'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'the request was not received in time', 'read_timeout'],
};
