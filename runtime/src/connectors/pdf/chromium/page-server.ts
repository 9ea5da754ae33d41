import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mediaTypeOfFile } from '../../../platform/formats/files/media-types.ts';
import type { Page } from '../documents.ts';
import { Resources } from '../paint/resources.ts';

/** A name that no server has: only the proxy answers for it. */
const origin = 'http://document.invalid';

/**
 * No script, no frame, no form; the rest from the folder of the template, or in the document (Content Security Policy 3). The
 * sandbox keeps the page from leading its browser to another one, by a refresh too.
 */
export const strictPolicy =
  "sandbox allow-same-origin; default-src 'none'; img-src 'self' data:; font-src 'self' data:; style-src 'self' 'unsafe-inline'; base-uri 'self'; form-action 'none'";

/**
 * The proxy of one browser, and so its only peer: it gives the page that is printed and files in the folder of its template, and
 * refuses whatever else the browser asks for. Its path cannot be guessed by other programs of the machine.
 */
export class PageServer {
  readonly #page: Page;
  readonly #policy: string;
  readonly #key = randomBytes(16).toString('hex');
  readonly #resources: Resources;
  readonly #server = createServer((request, response) => void this.#answer(request, response));
  #isLeft = false;

  constructor(page: Page, policy: string) {
    this.#page = page;
    this.#policy = policy;
    this.#resources = new Resources(page.root, '');
    for (const event of ['connect', 'upgrade'])
      this.#server.on(event, (_request, socket: { destroy(): void }) => socket.destroy());
  }

  /** Where the page is. */
  get url(): string {
    return `${origin}/${this.#key}/${this.#page.template.split('/').map(encodeURIComponent).join('/')}`;
  }

  /** Where the proxy is: `127.0.0.1:40123`. */
  get address(): string {
    return `127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether the page led its browser to another one: what is printed then is not the document. */
  get isLeft(): boolean {
    return this.#isLeft;
  }

  async open(): Promise<void> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
  }

  close(): void {
    this.#server.close();
    this.#server.closeAllConnections();
  }

  async #answer({ url = '', method, headers }: IncomingMessage, response: ServerResponse): Promise<void> {
    const begin = `${origin}/${this.#key}/`;
    try {
      const place = url.startsWith(begin)
        ? decodeURIComponent(url.slice(begin.length).replace(/[?#].*$/s, ''))
        : undefined;
      if (method === 'GET' && place === this.#page.template) {
        response.writeHead(200, {
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': this.#policy,
        });
        response.end(this.#page.html);
        return;
      }
      if (/^text\/html/.test(headers.accept ?? '')) this.#isLeft = true;
      else if (method === 'GET' && place !== undefined) {
        const bytes = await this.#resources.file(place, 'picture');
        const type = mediaTypeOfFile(place) ?? 'application/octet-stream';
        response.writeHead(200, { 'content-type': type, 'x-content-type-options': 'nosniff' }).end(bytes);
        return;
      }
    } catch {
      // There is no such file, or it is elsewhere.
    }
    response.writeHead(403).end();
  }
}
