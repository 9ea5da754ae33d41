import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import type { BoundAddress, BuiltinAnswer, BuiltinRoute, HttpApplication } from '../../foundation/contracts/http.ts';
import type { Log } from '../../foundation/observe/log.ts';
import { standardPace } from '../../platform/http/sockets/late-bodies.ts';
import { HttpListener } from '../../platform/http/sockets/listener.ts';
import { refuse } from '../debug/connection/refuse.ts';

export interface AdminOptions {
  /** 0 lets the system choose. */
  readonly port: number;
  /** Absent: every interface. */
  readonly host?: string | undefined;
  readonly routes: readonly BuiltinRoute[];
  readonly log: Log;
  /** Takes the requests to change to WebSocket at `/debug`; absent: the path is not served. */
  readonly debug?: UpgradeTaker | undefined;
}

export interface UpgradeTaker {
  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void;
}

/** What the servers of connectors have by default, so that no caller holds a connection longer here than there. */
const limits = {
  ...standardPace,
  writeTimeout: 30_000,
  idleTimeout: 60_000,
  maxConnections: 1_000,
};

/** Serves health and metrics on a port of its own and changes nothing. */
export class AdminServer {
  readonly #listener: HttpListener;
  readonly #options: AdminOptions;
  readonly #routes: ReadonlyMap<string, BuiltinRoute>;

  constructor(options: AdminOptions) {
    this.#options = options;
    const { host = '', port, log } = options;
    this.#routes = new Map(options.routes.map((route) => [route.path, route]));
    const application: HttpApplication = {
      host,
      port,
      limits,
      handle: (request, response) => void this.#answer(request, response),
      upgrade: (request, socket, head) => {
        const { debug } = this.#options;
        if (debug !== undefined && pathOf(request) === '/debug') debug.upgrade(request, socket, head);
        else refuse(socket, 404, 'not found');
      },
    };
    const failed = (error: Error) => log.error('admin server failed', { error });
    this.#listener = new HttpListener(['admin'], application, { title: 'the admin server', failed, sockets: 1 });
  }

  /** Resolves when the port is bound. Rejects with a Failure that names the port when it cannot be. */
  async listen(): Promise<BoundAddress> {
    const { port } = await this.#listener.listen();
    return { host: this.#options.host ?? '', port };
  }

  /** Ends every connection; may be called twice. */
  async close(): Promise<void> {
    await this.#listener.close(AbortSignal.abort());
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
    'X-Content-Type-Options': 'nosniff',
  });
  response.end(method === 'HEAD' ? undefined : body);
}
