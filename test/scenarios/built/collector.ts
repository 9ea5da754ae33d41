import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What flows report, by the path that they post to. */
export class Collector {
  readonly #server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    // It is asked whether it is there.
    if (request.method !== 'POST') return void response.end();
    const { text } = JSON.parse(String(Buffer.concat(pieces))) as { readonly text: unknown };
    this.#reports.push([request.url, text]);
    response.setHeader('content-type', 'application/json').end('{}');
  });
  readonly #reports: (readonly [path: string | undefined, text: unknown])[] = [];

  static async start(): Promise<Collector> {
    const collector = new Collector();
    await new Promise<void>((resolve) => void collector.#server.listen(0, '127.0.0.1', resolve));
    return collector;
  }

  get address(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  texts(path: string): readonly unknown[] {
    return this.#reports.filter(([at]) => at === path).map(([, text]) => text);
  }

  close(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }
}
