import type { TLSSocket } from 'node:tls';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { faultProxy } from '../../../../../test/support/proxy.ts';
import { until } from '../../../../../test/support/until.ts';
import { clientsFor, failure, said } from './testing/http2-client.ts';
import {
  frame,
  http2Peer,
  literal,
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

describe('R-79: HTTP/2: a peer that is silent', () => {
  const behind = async () => {
    const peer = await http2Peer(own, (stream, headers) => {
      if (headers[':path'] === '/stuck') return;
      stream.respond({ ':status': 200 });
      if (headers[':path'] === '/begun') stream.write('a');
      else stream.end('x');
    });
    const proxy = await faultProxy({ port: peer.port });
    onTestFinished(() => proxy.close());
    return { peer, proxy, url: `https://127.0.0.1:${proxy.port}`, from: client() };
  };

  test.each(['/stuck', '/begun'])('is left at the deadline, also within a body: %s', async (path) => {
    const { url, from, peer, proxy } = await behind();
    expect(said(await failure(send(url, { path, deadline: 300 }, from)))).toEqual({
      code: 'connector_timeout',
      sent: true,
      message: `${url} did not answer within 300 ms`,
    });
    await until(() => peer.sessions.size === 0 && proxy.connections === 0);
  });

  test('over a connection that is dead has another one for the next request', async () => {
    const { url, from, proxy, peer } = await behind();
    await send(url, {}, from);
    proxy.silence();
    expect((await failure(send(url, { deadline: 200 }, from))).code).toBe('connector_timeout');
    expect((await send(url, {}, from)).status).toBe(200);
    expect(peer.made).toBe(2);
  });

  test('over a connection that is dead has another one too when it was the caller who left', async () => {
    const { url, from, proxy, peer } = await behind();
    await send(url, {}, from);
    proxy.silence();
    const signal = AbortSignal.timeout(100);
    expect((await failure(send(url, { signal }, from))).code).toBe('cancelled');
    expect((await send(url, {}, from)).status).toBe(200);
    expect(peer.made).toBe(2);
  });

  test('during the handshake is left at the deadline, and the next request has another connection', async () => {
    const { url, from, proxy } = await behind();
    proxy.fault = 'blackhole';
    expect(await failure(send(url, { deadline: 200 }, from))).toMatchObject({ code: 'connector_timeout', sent: false });
    proxy.fault = 'pass';
    expect((await send(url, { deadline: 5_000 }, from)).status).toBe(200);
  });

  test('for one request takes nothing from others: a caller who leaves ends its stream alone', async () => {
    const { url, from, peer } = await behind();
    const leave = new AbortController();
    const stuck = failure(send(url, { path: '/stuck', signal: leave.signal }, from));
    await until(() => peer.seen.length === 1);
    await send(url, {}, from);
    leave.abort();
    expect(said(await stuck)).toEqual({ code: 'cancelled', sent: true, message: 'the request was cancelled' });
    await send(url, {}, from);
    expect(peer.made).toBe(1);
  });
});

describe('S-79: HTTP/2: a peer that breaks the protocol', () => {
  const breaking = (handle: (socket: TLSSocket) => void) => rawHttp2Peer(own, handle);
  const text = (bytes: string) => Buffer.from(bytes);

  test.each([
    ['less', 'abc'],
    ['more', 'abcdefghijklmnop'],
  ])('about the length of its body, which has %s', async (_, body) => {
    const peer = await breaking((socket) => {
      socket.write(frame(1, 4, 1, Buffer.concat([status200, literal('content-length', '10')])));
      socket.write(frame(0, 1, 1, text(body)));
    });
    expect(await failure(send(peer.url))).toMatchObject({ code: 'connector_refused', sent: true });
  });

  test('and sends more than may be read is cut off', async () => {
    let written = 0;
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 200 });
      const more = () => {
        while (!stream.destroyed && stream.write(Buffer.alloc(65_536))) written += 65_536;
        stream.once('drain', more);
      };
      more();
    });
    const from = client();
    expect(await failure(send(peer.url, {}, from))).toMatchObject({
      code: 'connector_failed',
      message: `the answer of ${peer.url} is larger than 1000000 bytes`,
    });
    expect(written).toBeLessThan(20_000_000);
  });

  test('and announces more than may be read is refused before it comes', async () => {
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 200, 'content-length': 1e9 });
      stream.write('x');
    });
    expect((await failure(send(peer.url))).message).toBe(`the answer of ${peer.url} is larger than 1000000 bytes`);
  });

  test('and fills an error answer: its beginning is kept', async () => {
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 500 });
      stream.end('x'.repeat(2_000_000));
    });
    const answer = await send(peer.url);
    expect([answer.status, answer.body.length < 400_000]).toEqual([500, true]);
  });

  test.each<[string, (socket: TLSSocket) => void]>([
    [
      'has 100000 headers',
      (socket) => {
        const block = Buffer.concat(Array.from({ length: 1000 }, () => literal('x-a', 'b')));
        socket.write(frame(1, 0, 1, Buffer.concat([status200, block])));
        for (let at = 0; at < 99; at++) socket.write(frame(9, 0, 1, block));
        socket.write(frame(9, 4, 1));
      },
    ],
    [
      'ends its headers never',
      (socket) => {
        socket.write(frame(1, 0, 1, status200));
        const block = Buffer.concat(Array.from({ length: 1000 }, () => literal('x-a', 'b')));
        const more = () => {
          while (!socket.destroyed && socket.write(frame(9, 0, 1, block)));
          if (!socket.destroyed) socket.once('drain', more);
        };
        more();
      },
    ],
    ['sends frames of no kind that it has', (socket) => void socket.write(Buffer.alloc(100_000, 0xff))],
  ])('and %s is left', async (_, handle) => {
    const peer = await breaking(handle);
    const from = client();
    const failed = await failure(send(peer.url, { deadline: 20_000 }, from));
    expect([failed.code, failed.sent]).toEqual(['connector_refused', true]);
    await from.close();
    await until(() => peer.open.size === 0);
  });
});
