import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type RunningService, startService } from '../test/support/service.ts';
import { ask, copyExample } from './example.ts';

/** A service behind the gateway: answers by path, counts what it was asked, can be broken. */
class Upstream {
  readonly asked: string[] = [];
  broken = false;
  readonly #server: Server;

  constructor(answers: Readonly<Record<string, unknown>>) {
    this.#server = createServer((request, response) => {
      const path = request.url ?? '';
      // Health checks ask HEAD.
      if (request.method === 'GET') this.asked.push(path);
      const answer = answers[path];
      const status = this.broken ? 503 : answer === undefined ? 404 : 200;
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer ?? { error: 'no' }));
    });
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

describe('the gateway', () => {
  const { directory, remove } = copyExample('gateway');
  const catalog = new Upstream({
    '/products/7': { sku: 'A-7', name: 'Compass' },
    '/products/8': { sku: 'A-8', name: 'Sextant' },
  });
  const live = new Upstream({ '/prices/A-7': { amount: 12.5, currency: 'CHF' } });
  const archive = new Upstream({ '/prices/A-8': { amount: 40 } });
  let service: RunningService;

  beforeAll(async () => {
    service = await startService({
      directory,
      env: {
        CATALOG_URL: await catalog.listen(),
        PRICES_URL: await live.listen(),
        PRICE_ARCHIVE_URL: await archive.listen(),
      },
    });
  });

  afterAll(async () => {
    await service?.stop();
    for (const upstream of [catalog, live, archive]) upstream.close();
    remove();
  });

  test('makes one answer of two services, and keeps it', async () => {
    const product = { status: 200, body: { id: '7', name: 'Compass', price: 12.5, currency: 'CHF' } };
    expect(await ask('GET', `${service.address}/products/7`)).toEqual(product);
    expect(await ask('GET', `${service.address}/products/7`)).toEqual(product);
    expect({ catalog: catalog.asked, live: live.asked, archive: archive.asked }).toEqual({
      catalog: ['/products/7'],
      live: ['/prices/A-7'],
      archive: [],
    });
  });

  test('asks the fallback when the live prices are unavailable', async () => {
    live.broken = true;
    expect(await ask('GET', `${service.address}/products/8`)).toEqual({
      status: 200,
      body: { id: '8', name: 'Sextant', price: 40, currency: 'EUR' },
    });
    expect(archive.asked).toEqual(['/prices/A-8']);
  });
});
