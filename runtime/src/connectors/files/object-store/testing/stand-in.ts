import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Keys, signatureProblem } from '../../../../platform/aws/testing/signature.ts';

export const keys: Keys = { access: 'AKIDEXAMPLE', secret: 'kept/secret+of=tests', region: 'eu-central-1' };

/** A request as it came, whose signature was right. */
export interface Seen {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  /** Writes the answer itself. */
  readonly raw?: (response: ServerResponse) => void;
}

/** A server of S3 that answers as a test says, and checks signatures with code of its own. */
export class StandIn {
  readonly seen: Seen[] = [];
  /** What it answers to a request; undefined: 200 with an ETag. */
  answer: (seen: Seen, count: number) => Answer | undefined = () => undefined;
  /** Milliseconds that its clock is ahead. */
  ahead = 0;
  readonly #server: Server;

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  static async start(): Promise<StandIn> {
    const own = new StandIn();
    await new Promise<void>((resolve) => own.#server.listen(0, '127.0.0.1', resolve));
    return own;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const pieces: Buffer[] = [];
    try {
      for await (const piece of request) pieces.push(piece as Buffer);
    } catch {
      return;
    }
    const body = Buffer.concat(pieces);
    const now = Date.now() + this.ahead;
    response.setHeader('date', new Date(now).toUTCString());
    const problem = signatureProblem(request, body, keys, now);
    if (problem !== undefined) return void response.writeHead(403).end(errorXml(problem));
    const seen = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
    this.seen.push(seen);
    const {
      status = 200,
      headers = { etag: '"0123456789abcdef"' },
      body: said = '',
      raw,
    } = this.answer(seen, this.seen.length) ?? {};
    if (raw !== undefined) return raw(response);
    response.writeHead(status, headers).end(said);
  }
}

export function errorXml(code: string, message = 'It is refused.'): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n<Error><Code>${code}</Code><Message>${message}</Message></Error>`;
}
