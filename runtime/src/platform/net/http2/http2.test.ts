import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { clientsFor, failure, said } from './testing/http2-client.ts';
import {
  frame,
  http2Peer,
  type OwnCertificate,
  ownCertificate,
  rawHttp2Peer,
  status200,
} from './testing/http2-peer.ts';

let own: OwnCertificate;
beforeAll(async () => {
  own = await ownCertificate();
});
const { client, send } = clientsFor(() => own);

describe('HTTP/2 is chosen by the peer', () => {
  test('and many requests share one connection', async () => {
    const seen = new Set<string>();
    const peer = await http2Peer(own, (stream, headers) => {
      for (const name of Object.keys(headers)) seen.add(name);
      stream.respond({ ':status': 200 });
      stream.end(String(headers[':path']));
    });
    const from = client();
    const paths = Array.from({ length: 60 }, (_, at) => `/${at}`);
    const headers = ['accept', 'text/plain', 'x-own', 'a'];
    const answers = await Promise.all(paths.map((path) => send(peer.url, { path, headers }, from)));
    expect(answers.map(({ status, body }) => [status, body.toString()])).toEqual(paths.map((path) => [200, path]));
    expect([peer.made, [...seen].sort()]).toEqual([
      1,
      [':authority', ':method', ':path', ':scheme', 'accept', 'x-own'],
    ]);
  });

  test('and HTTP/1.1 is spoken where it has no other, and where HTTP/2 is not asked for', async () => {
    const seen: string[] = [];
    let made = 0;
    const server = createHttpsServer({ cert: own.cert, key: own.private }, (request, response) => {
      seen.push(request.httpVersion);
      response.end('x');
    }).on('secureConnection', () => void made++);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    const from = client();
    const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await Promise.all([send(url, {}, from), send(url, {}, from), send(url, {}, from)]);
    expect([made <= 3, seen]).toEqual([true, ['1.1', '1.1', '1.1']]);
    const peer = await http2Peer(own, () => undefined, { allowHTTP1: true });
    await send(peer.url, { deadline: 50 }, client({ http2: false })).catch(() => undefined);
    expect([peer.made, peer.seen]).toEqual([1, []]);
  });

  test('S-87: with its certificate verified, and the own one presented', async () => {
    const names: string[] = [];
    const peer = await http2Peer(
      own,
      (stream) => {
        names.push((stream.session?.socket as TLSSocket | undefined)?.getPeerCertificate().subject.CN as string);
        stream.respond({ ':status': 204 }, { endStream: true });
      },
      { requestCert: true, ca: own.cert },
    );
    const other = await ownCertificate();
    const material = { rejectUnauthorized: true, minVersion: 'TLSv1.2' } as const;
    const [cert, key, ca] = [own.cert, own.private, own.cert].map((each) => Buffer.from(each));
    await send(
      peer.url,
      {},
      client({ tls: { ...material, ca: ca as Buffer, cert: cert as Buffer, key: key as Buffer } }),
    );
    expect(names).toEqual(['localhost']);
    for (const tls of [
      { ...material, ca: Buffer.from(other.cert), cert: cert as Buffer, key: key as Buffer },
      undefined,
    ])
      expect(await failure(send(peer.url, {}, client({ tls })))).toMatchObject({
        code: 'connector_refused',
        sent: false,
      });
    expect(peer.seen).toEqual(['GET /']);
  });

  test('S-76: redirects are followed, bodies are decoded, and no cookie is kept', async () => {
    const cookies: unknown[] = [];
    const peer = await http2Peer(own, (stream, headers) => {
      cookies.push(headers['cookie']);
      if (headers[':path'] === '/')
        return stream.respond({ ':status': 302, location: '/b', 'set-cookie': 'a=1' }, { endStream: true });
      stream.respond({ ':status': 200, 'content-encoding': 'gzip', 'retry-after': '3' });
      return stream.end(gzipSync('here'));
    });
    const answer = await send(peer.url);
    expect([answer.body.toString(), answer.headers['retry-after'], answer.isRedirected, cookies]).toEqual([
      'here',
      '3',
      true,
      [undefined, undefined],
    ]);
    expect(peer.seen).toEqual(['GET /', 'GET /b']);
  });

  test('that allows one request at a time: each is answered', async () => {
    let most = 0;
    let now = 0;
    const peer = await http2Peer(
      own,
      (stream) => {
        most = Math.max(most, ++now);
        stream.on('close', () => void now--);
        setImmediate(() => {
          stream.respond({ ':status': 200 });
          stream.end('x');
        });
      },
      { settings: { maxConcurrentStreams: 1 } },
    );
    const from = client({ connections: 1 });
    const answers = await Promise.all(Array.from({ length: 8 }, () => send(peer.url, {}, from)));
    expect([answers.map(({ status }) => status), most, peer.made]).toEqual([Array(8).fill(200), 1, 1]);
  });
});

describe('R-79: HTTP/2: a connection that ends', () => {
  test('with GOAWAY lets what is under way be answered, and takes nothing more', async () => {
    const peer = await http2Peer(own, (stream, headers) => {
      if (headers[':path'] === '/first') stream.session?.goaway();
      stream.respond({ ':status': 200 });
      stream.write('a');
      setImmediate(() => stream.end('b'));
    });
    const from = client();
    expect((await send(peer.url, { method: 'POST', path: '/first', body: 'x' }, from)).body.toString()).toBe('ab');
    expect((await send(peer.url, { path: '/next' }, from)).body.toString()).toBe('ab');
    expect([peer.made, peer.seen]).toEqual([2, ['POST /first', 'GET /next']]);
  });

  test('with a GOAWAY before a request: it was not read, and is sent again, over another connection', async () => {
    let made = 0;
    const peer = await rawHttp2Peer(own, (socket) => {
      if (made++ === 0) socket.write(frame(7, 0, 0, Buffer.alloc(8)));
      else socket.write(frame(1, 5, 1, status200));
    });
    expect((await send(peer.url, { method: 'PUT', body: 'x' })).status).toBe(200);
    expect(made).toBe(2);
  });

  test('with a GOAWAY before every request fails it, after two of them', async () => {
    let made = 0;
    const peer = await rawHttp2Peer(own, (socket) => {
      made++;
      socket.write(frame(7, 0, 0, Buffer.alloc(8)));
    });
    expect(await failure(send(peer.url, { method: 'PUT', body: 'x' }))).toMatchObject({ code: 'connector_refused' });
    expect(made).toBe(2);
  });

  test('with eight requests under way: each was sent, and none is sent again', async () => {
    const peer = await http2Peer(own, () => {
      if (peer.seen.length === 9) for (const session of peer.sessions) session.socket.destroy();
    });
    const from = client();
    const warm = send(peer.url, { path: '/warm' }, from);
    await until(() => peer.seen.length === 1);
    const all = await Promise.all(
      ['POST', 'GET'].flatMap((method) =>
        [1, 2, 3, 4].map((at) =>
          failure(send(peer.url, { method, path: `/${at}`, ...(method === 'POST' && { body: 'x' }) }, from)),
        ),
      ),
    );
    expect(all.map(({ code, sent }) => ({ code, sent }))).toEqual(
      Array(8).fill({ code: 'connector_refused', sent: true }),
    );
    expect(await failure(warm)).toMatchObject({ code: 'connector_refused', sent: true });
    expect(all[0]?.message).toContain(`the connection to ${peer.url} broke: `);
    expect([peer.made, peer.seen.length]).toEqual([1, 9]);
  });

  test('by a fault of the network: it is said, and the next request has another connection', async () => {
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 200 });
      stream.end('x');
    });
    const proxy = await faultProxy({ port: peer.port });
    onTestFinished(() => proxy.close());
    const url = `https://127.0.0.1:${proxy.port}`;
    const from = client();
    await send(url, {}, from);
    proxy.fault = 'cut';
    expect(await failure(send(url, { method: 'POST', body: 'x' }, from))).toMatchObject({
      code: 'connector_refused',
      sent: true,
    });
    proxy.fault = 'refuse';
    expect(await failure(send(url, { method: 'POST', body: 'x' }, from))).toMatchObject({
      code: 'connector_refused',
      sent: false,
    });
    proxy.fault = 'pass';
    expect((await send(url, {}, from)).status).toBe(200);
  });

  test('with RST_STREAM ends that request alone', async () => {
    const peer = await http2Peer(own, (stream, headers) => {
      if (headers[':path'] === '/reset') return stream.close(2);
      if (headers[':path'] === '/refused') return stream.close(7);
      stream.respond({ ':status': 200 });
      return setImmediate(() => stream.end('x'));
    });
    const from = client();
    const [fine, reset, refused] = await Promise.all([
      send(peer.url, {}, from),
      failure(send(peer.url, { method: 'POST', path: '/reset', body: 'x' }, from)),
      failure(send(peer.url, { method: 'POST', path: '/refused', body: 'x' }, from)),
    ]);
    expect([fine.status, reset.code, reset.sent, refused.code, refused.sent]).toEqual([
      200,
      'connector_refused',
      true,
      'connector_refused',
      // The peer says that it has not read it (RFC 9113, 8.7).
      false,
    ]);
    expect([peer.made, [...peer.seen].sort()]).toEqual([1, ['GET /', 'POST /refused', 'POST /reset']]);
    await failure(send(peer.url, { path: '/refused' }, from));
    expect(peer.seen.slice(-2)).toEqual(['GET /refused', 'GET /refused']);
  });
});

describe('HTTP/2: a client that is closed', () => {
  test('lets what is under way be answered', async () => {
    let answer: () => void = () => undefined;
    const peer = await http2Peer(own, (stream) => {
      answer = () => {
        stream.respond({ ':status': 200 });
        stream.end('late');
      };
    });
    const from = client();
    const asked = send(peer.url, {}, from);
    await until(() => peer.seen.length === 1);
    const closed = from.close();
    expect(await failure(send(peer.url, {}, from))).toMatchObject({ code: 'connector_refused', sent: false });
    answer();
    expect((await asked).body.toString()).toBe('late');
    await closed;
    await until(() => peer.sessions.size === 0);
  });

  test('ends it when it is cut, over connections that are left too', async () => {
    const peer = await http2Peer(own, () => undefined);
    const from = client();
    const asked = failure(send(peer.url, {}, from));
    await until(() => peer.seen.length === 1);
    await failure(send(peer.url, { deadline: 100 }, from));
    const other = failure(send(peer.url, {}, from));
    await until(() => peer.made === 2 && peer.seen.length === 3);
    const cut = new AbortController();
    const closed = from.close(cut.signal);
    cut.abort();
    await closed;
    expect([await asked, await other].map(said)).toEqual(
      Array(2).fill({ code: 'connector_refused', sent: true, message: 'the client is closed' }),
    );
    await until(() => peer.sessions.size === 0);
  });
});
