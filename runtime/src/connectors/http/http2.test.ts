import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { until } from '../../../../test/support/until.ts';
import { problemsOf } from '../../checks/rules/testing/problems.ts';
import { http2Peer, type OwnCertificate, ownCertificate } from '../../platform/net/http2/testing/http2-peer.ts';
import { client, failure, run } from './testing/peer.ts';

let own: OwnCertificate;
beforeAll(async () => {
  own = await ownCertificate();
});

const tls = { insecure_skip_verify: true };

describe('HTTP/2 of a client', () => {
  test('is spoken with `http2` where the peer has it, else HTTP/1.1', async () => {
    const versions: string[] = [];
    const peer = await http2Peer(own, () => undefined, { allowHTTP1: true });
    const plain = createServer({ cert: own.cert, key: own.private }, (request, response) => {
      versions.push(request.httpVersion);
      response.setHeader('content-type', 'application/json').end('{"ok":true}');
    });
    await new Promise<void>((resolve) => plain.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      plain.closeAllConnections();
      plain.close();
    });
    const url = `https://127.0.0.1:${(plain.address() as AddressInfo).port}`;
    for (const http2 of [true, false])
      expect(await run(await client({ base_url: url, tls, http2 }), { operation: 'GET /' })).toEqual({
        value: { ok: true },
      });
    expect(versions).toEqual(['1.1', '1.1']);
    const ask = async (http2: boolean) =>
      failure(run(await client({ base_url: peer.url, tls, http2, timeout: 300 }), { operation: 'GET /' }));
    await ask(false);
    expect(peer.seen).toEqual([]);
    await ask(true);
    expect(peer.seen).toEqual(['GET /']);
  });

  test('R-79: what was sent over a connection that broke is repeated only when it changes nothing twice', async () => {
    const peer = await http2Peer(own, (stream) => void stream.session?.socket.destroy());
    const api = await client({ base_url: peer.url, tls, http2: true, retry: { attempts: 3, delay: 1 } });
    const ask = (operation: string) => failure(run(api, { operation }, { payload: { a: 1 } }));
    expect((await ask('POST /')).code).toBe('connector_refused');
    expect(peer.seen).toEqual(['POST /']);
    expect((await ask('GET /')).code).toBe('connector_refused');
    expect(peer.seen.length).toBe(4);
  });

  test('is left by a client that another one replaces, when its calls have ended', async () => {
    const waiting: (() => void)[] = [];
    const peer = await http2Peer(own, (stream, headers) => {
      const answer = () => {
        stream.respond({ ':status': 200, 'content-type': 'application/json' });
        stream.end('{"ok":true}');
      };
      if (headers[':path'] === '/slow') waiting.push(answer);
      else answer();
    });
    const config = { base_url: peer.url, tls, http2: true };
    const before = await client(config);
    const slow = run(before, { operation: 'GET /slow' });
    await until(() => waiting.length === 1);
    const after = await client({ ...config, timeout: 5_000 });
    const closed = before.close();
    expect(await run(after, { operation: 'GET /' })).toEqual({ value: { ok: true } });
    waiting[0]?.();
    expect(await slow).toEqual({ value: { ok: true } });
    await closed;
    await until(() => peer.sessions.size === 1);
  });

  test('is refused for an address without TLS', () => {
    const written = (url: string) =>
      problemsOf(`connector "api" {\n  type = "http"\n  base_url = "${url}"\n  http2 = true\n}\n`);
    expect(written('http://erp.example.org').filter((each) => each.startsWith('invalid-value'))).toHaveLength(1);
    expect(written('https://erp.example.org').filter((each) => each.startsWith('invalid-value'))).toEqual([]);
  });
});
