import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http';
import { createServer as createHttp2Server, type Http2Server } from 'node:http2';
import type { AddressInfo, Socket } from 'node:net';

/** A request as it reached a provider. */
export interface Asked {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** What a provider answers. */
export interface Given {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What a provider does instead of answering: it is silent, or ends the connection after the request. */
export type Misbehaviour = 'silent' | 'cut' | 'endless' | 'short';

/** A provider that a channel sends to, whatever is spoken. */
export interface ProviderOfTests {
  /** Connections so far. */
  readonly accepted: number;
  readonly asked: readonly Asked[];
  /** Requests that changed something. */
  readonly sends: readonly Asked[];
  readonly port: number;
  readonly url: string;
  readonly connections: number;
  /** Requests that wait for an answer, and whose client is there. */
  readonly held: number;
  /** Ends every connection. */
  cut(): void;
  /** From now on requests are answered so. */
  answers(answer: (asked: Asked) => Given | Misbehaviour): void;
  /** Answers what waits. */
  release(answer: Given): void;
  close(): Promise<void>;
}

/** A provider on loopback. It keeps what it was asked, and answers what the test says. */
export class Provider implements ProviderOfTests {
  readonly asked: Asked[] = [];
  /** Connections so far. */
  accepted = 0;
  readonly #server: Server | Http2Server;
  readonly #sockets = new Set<Socket>();
  readonly #held = new Set<ServerResponse>();
  #answer: (asked: Asked) => Given | Misbehaviour;

  private constructor(protocol: 'http' | 'http2', answer: (asked: Asked) => Given | Misbehaviour) {
    this.#answer = answer;
    const handle = (request: IncomingMessage, response: ServerResponse) => this.#handle(request, response);
    this.#server = protocol === 'http' ? createServer(handle) : createHttp2Server(handle as never);
    this.#server.on('connection', (socket: Socket) => {
      this.accepted++;
      this.#sockets.add(socket);
      socket.on('close', () => this.#sockets.delete(socket)).on('error', () => undefined);
    });
    this.#server.on('sessionError', () => undefined);
  }

  static async start(answer: (asked: Asked) => Given | Misbehaviour, protocol: 'http' | 'http2' = 'http') {
    const provider = new Provider(protocol, answer);
    await new Promise<void>((resolve) => provider.#server.listen(0, '127.0.0.1', resolve));
    return provider;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /** Requests that changed something. */
  get sends(): readonly Asked[] {
    return this.asked.filter(({ method }) => method !== 'HEAD');
  }

  get connections(): number {
    return this.#sockets.size;
  }

  /** Requests that wait for an answer, and whose client is there. */
  get held(): number {
    return this.#held.size;
  }

  /** Ends every connection. */
  cut(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** From now on requests are answered so. */
  answers(answer: (asked: Asked) => Given | Misbehaviour): void {
    this.#answer = answer;
  }

  /** Answers what waits. */
  release(answer: Given): void {
    for (const response of this.#held) give(response, answer);
    this.#held.clear();
  }

  async close(): Promise<void> {
    this.cut();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #handle(request: IncomingMessage, response: ServerResponse): void {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece)).on('error', () => undefined);
    response.on('error', () => undefined);
    request.on('end', () => {
      // One whose connection was cut in the middle of it is not a request.
      if (request.aborted) return;
      const { method = '', url = '', headers } = request;
      const asked = { method, url, headers, body: Buffer.concat(pieces).toString() };
      this.asked.push(asked);
      if (method === 'HEAD') return void give(response, { status: 404, body: '' });
      const answer = this.#answer(asked);
      if (typeof answer === 'object') return void give(response, answer);
      this.#misbehave(answer, response);
    });
  }

  #misbehave(kind: Misbehaviour, response: ServerResponse): void {
    if (kind === 'cut') return void response.socket?.destroy();
    if (kind === 'silent') {
      this.#held.add(response);
      response.once('close', () => this.#held.delete(response));
      return;
    }
    response.writeHead(200, {
      'content-type': 'application/json',
      ...(kind === 'short' && { 'content-length': '1000' }),
    });
    response.write('{"id":');
    if (kind === 'short') return void response.socket?.end();
    const timer = setInterval(() => response.write(' '), 10);
    response.once('close', () => clearInterval(timer));
  }
}

function give(response: ServerResponse, { status = 200, headers, body = {} }: Given): void {
  if (response.destroyed) return;
  const type = typeof body === 'string' ? 'text/plain' : 'application/json';
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(typeof body === 'string' ? body : JSON.stringify(body));
}
