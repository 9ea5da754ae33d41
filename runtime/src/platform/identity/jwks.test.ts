import { createServer, type RequestListener, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { exportJWK, generateKeyPair } from 'jose';
import { describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { keySet } from './jwks.ts';

async function publish(handle: RequestListener): Promise<string> {
  const server = createServer(handle);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys?a=1`;
}

const ask = async (url: string) => (await keySet(url))({ alg: 'RS256', kid: 'k' }, {} as never);

describe('a key set', () => {
  test('is fetched with its path and query, compressed or not', async () => {
    const { publicKey } = await generateKeyPair('RS256', { extractable: true });
    const body = JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256' }] });
    const seen: (string | undefined)[] = [];
    const url = await publish(({ url: path }, response) => {
      seen.push(path);
      response.setHeader('content-encoding', 'gzip').end(gzipSync(body));
    });
    expect(await ask(url)).toBeDefined();
    expect(seen).toEqual(['/keys?a=1']);
  });

  test.each<[string, (response: ServerResponse) => void]>([
    ['announced', (response) => void response.setHeader('content-length', 400_000_000).write(' ')],
    [
      'compressed',
      (response) => void response.setHeader('content-encoding', 'gzip').end(gzipSync(' '.repeat(5_000_000))),
    ],
    [
      'without end',
      (response) => {
        const more = () => {
          while (!response.destroyed && response.write(' '.repeat(65_536)));
          response.once('drain', more);
        };
        more();
      },
    ],
  ])('S-79: that is larger than 1 MiB (%s) is not read', async (_, send) => {
    let closed = false;
    const url = await publish((request, response) => {
      request.socket.on('close', () => (closed = true));
      send(response);
    });
    await expect(ask(url)).rejects.toMatchObject({
      code: 'store_unavailable',
      cause: expect.objectContaining({ message: expect.stringContaining('larger than 1048576 bytes') }),
    });
    await until(() => closed);
  });

  test('S-76: that is elsewhere is not followed', async () => {
    const url = await publish((_, response) => response.writeHead(302, { location: 'http://169.254.169.254/' }).end());
    await expect(ask(url)).rejects.toMatchObject({ code: 'store_unavailable' });
  });

  test('S-13: that cannot be read is not fetched again by every caller', async () => {
    let asked = 0;
    const url = await publish((_, response) => {
      asked++;
      response.writeHead(500).end();
    });
    const keys = await keySet(url);
    for (let times = 0; times < 5; times++)
      await expect(async () => keys({ alg: 'RS256', kid: `k${times}` }, {} as never)).rejects.toMatchObject({
        code: 'store_unavailable',
        retryAfter: 1_000,
      });
    expect(asked).toBe(1);
  });
});
