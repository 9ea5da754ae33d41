import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { BuiltinAnswer, BuiltinRoute } from '../connectors/contract.ts';
import { refuse } from '../debug/refuse.ts';
import { Failure } from '../errors/failure.ts';
import type { Log } from '../observe/log.ts';
import type { BoundAddress } from '../service/listener.ts';

export interface AdminOptions {
  /** 0 lets the system choose. */
  readonly port: number;
  /** Absent: every interface. */
  readonly host?: string | undefined;
  readonly routes: readonly BuiltinRoute[];
  readonly log: Log;
  /** Takes the requests to change to WebSocket at `/debug`; absent: there is no such place. */
  readonly debug?: UpgradeTaker | undefined;
}

export interface UpgradeTaker {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** Serves health and metrics on a port of its own and changes nothing (supplement-flows 7.7). */
export class AdminServer {
  readonly #server: Server;
  readonly #options: AdminOptions;
  readonly #routes: ReadonlyMap<string, BuiltinRoute>;

  constructor(options: AdminOptions) {
    this.#options = options;
    this.#routes = new Map(options.routes.map((route) => [route.path, route]));
    this.#server = createServer({ maxHeaderSize: 16_384, requestTimeout: 15_000 }, (request, response) => {
      void this.#answer(request, response);
    });
    this.#server.maxConnections = 1_000;
    this.#server.on('upgrade', (request, socket, head) => {
      const { debug } = this.#options;
      if (debug !== undefined && pathOf(request) === '/debug') debug.upgrade(request, socket, head);
      else refuse(socket, 404, 'not found');
    });
  }

  /** Resolves when the port is bound. Rejects with a Failure that names the port when it cannot be. */
  listen(): Promise<BoundAddress> {
    const { host, port, log } = this.#options;
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error: NodeJS.ErrnoException) => reject(bindFailure(host, port, error)));
      this.#server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        this.#server.removeAllListeners('error');
        this.#server.on('error', (error) => log.error('admin server failed', { error }));
        const bound = this.#server.address() as AddressInfo;
        resolve({ host: host ?? '', port: bound.port });
      });
    });
  }

  /** Ends every connection; may be called twice. */
  async close(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
      this.#server.closeAllConnections();
    });
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    request.resume();
    const path = pathOf(request);
    const route = this.#routes.get(path);
    if (route === undefined) return send(response, request.method, errorAnswer(404, 'not found'));
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.setHeader('Allow', 'GET, HEAD');
      return send(response, request.method, errorAnswer(405, 'method not allowed'));
    }
    try {
      send(response, request.method, await route.handle());
    } catch (error) {
      this.#options.log.error('admin request failed', { path, error });
      send(response, request.method, errorAnswer(500, 'internal error'));
    }
  }
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return url.split('?', 1)[0] as string;
}

function errorAnswer(status: number, error: string): BuiltinAnswer {
  return { status, contentType: 'application/json; charset=utf-8', body: JSON.stringify({ error }) };
}

function send(
  response: ServerResponse,
  method: string | undefined,
  { status, contentType, body }: BuiltinAnswer,
): void {
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
  });
  response.end(method === 'HEAD' ? undefined : body);
}

/** Why the port could not be bound. */
function bindFailure(host: string | undefined, port: number, cause: NodeJS.ErrnoException): Failure {
  const where = host === undefined || host === '' ? `port ${port}` : `port ${port} of ${host}`;
  const reason = reasons[cause.code ?? ''] ?? cause.message;
  return new Failure('connector_refused', `the admin server cannot listen on ${where}: ${reason}`, {
    cause,
    retriable: false,
  });
}

const reasons: Readonly<Record<string, string>> = {
  EADDRINUSE: 'another program is listening there',
  EACCES: 'this user may not listen there',
  EADDRNOTAVAIL: 'this machine does not have that address',
};
