import { createServer, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { messageBudget } from '../../../platform/formats/budget.ts';
import { readEnvelope } from '../envelope/read.ts';
import { envelopeText, operationElement } from '../envelope/write.ts';

/** A SOAP service that answers every operation with its request, and does not answer `Stuck` before it is released. */
export class EchoService {
  readonly held = new Set<ServerResponse>();
  readonly server: Server;
  #isReleased = false;

  private constructor() {
    this.server = createServer(async (request, response) => {
      const body = await buffer(request).catch(() => undefined);
      if (body === undefined) return;
      if (request.method !== 'POST') return void response.end();
      const { operation, content } = await readEnvelope(body, undefined, messageBudget);
      if (operation?.local !== 'Stuck' || this.#isReleased) return answer(response, operation?.local ?? '', content);
      this.held.add(response);
      response.once('close', () => this.held.delete(response));
    });
    this.server.on('clientError', (_, socket) => socket.destroy());
  }

  static async start(): Promise<EchoService> {
    const service = new EchoService();
    await new Promise<void>((resolve) => service.server.listen(0, '127.0.0.1', resolve));
    return service;
  }

  get port(): number {
    return (this.server.address() as { readonly port: number }).port;
  }

  release(): void {
    this.#isReleased = true;
    for (const response of this.held) answer(response, 'Stuck', {});
  }

  async close(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
  }
}

function answer(response: ServerResponse, name: string, content: unknown): void {
  response
    .setHeader('content-type', 'text/xml; charset=utf-8')
    .end(envelopeText({ version: '1.1', body: operationElement(undefined, `${name}Response`, content) }));
}
