import { createServer as createHttpServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterEach, expect, test } from 'vitest';
import type { HttpRequest } from './client/http-request.ts';
import { HttpClient, type HttpFailure } from './request.ts';

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const clean of cleanups.splice(0).reverse()) await clean();
});

async function address(server: Server): Promise<string> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    return new Promise((resolve) => server.close(resolve));
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const serve = (handle: RequestListener) => address(createHttpServer(handle));
/** A server that answers every connection with these bytes. */
const raw = (bytes: (socket: Socket) => void) =>
  address(createServer((socket) => socket.once('data', () => bytes(socket)).on('error', () => {})));

function client(maxResponse = 1_000_000): HttpClient {
  const made = new HttpClient({ maxResponse });
  cleanups.push(() => made.close());
  return made;
}

function send(origin: string, request: Partial<HttpRequest> = {}, from = client()) {
  return from.send({ method: 'GET', origin, path: '/', headers: [], deadline: 10_000, ...request });
}

async function failure(promise: Promise<unknown>): Promise<HttpFailure> {
  return promise.then(
    () => expect.fail('it did not fail'),
    (error) => error,
  );
}

test('S-76: redirects inside the origin are followed, a POST becomes a GET without body', async () => {
  const seen: string[] = [];
  const origin = await serve((request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.authorization} ${request.headers['content-type']}`);
    const to = { '/a': 302, '/b': 307 }[request.url ?? ''];
    if (to) response.writeHead(to, { location: request.url === '/a' ? '/b' : '../c?x=1' });
    response.end('done');
  });
  const headers = ['authorization', 'secret', 'Content-Type', 'text/plain'];
  const answer = await send(origin, { method: 'POST', path: '/a', headers, body: 'x' });
  expect([answer.status, answer.body.toString()]).toEqual([200, 'done']);
  expect(seen).toEqual(['POST /a secret text/plain', 'GET /b secret undefined', 'GET /c?x=1 secret undefined']);
});

test('S-76: redirects to another origin are not followed and get no credentials', async () => {
  let asked = 0;
  const other = await serve((_request, response) => {
    asked++;
    response.end();
  });
  for (const location of [`${other}/x`, '//169.254.169.254/latest', 'file:///etc/passwd', 'gopher://h/', 'http://[']) {
    const origin = await serve((_request, response) => response.writeHead(302, { location }).end());
    const refused = await failure(send(origin, { headers: ['authorization', 'secret', 'cookie', 'c'] }));
    expect(refused).toMatchObject({ code: 'upstream_error', retriable: false, upstream: { status: 302, body: '' } });
  }
  expect(asked).toBe(0);
});

test('S-76: redirects end after three', async () => {
  let asked = 0;
  const origin = await serve((_request, response) => response.writeHead(302, { location: `/${++asked}` }).end());
  expect((await failure(send(origin))).message).toBe(`${origin} redirects more than 3 times`);
  expect(asked).toBe(4);
});

test('S-77: line breaks in a path are refused before anything is sent', async () => {
  const origin = await serve((_request, response) => response.end());
  for (const path of ['/a\r\nX: 1', '/a b', 'x', '/ł']) {
    expect(await failure(send(origin, { path }))).toMatchObject({ code: 'connector_failed', sent: false });
  }
});

test('S-79: a large body is cut off, announced or not', async () => {
  let written = 0;
  const announced = await serve((_request, response) => response.writeHead(200, { 'content-length': 1e9 }).write('x'));
  const endless = await serve((_request, response) => {
    const more = () => {
      while (!response.destroyed && response.write('x'.repeat(65_536))) written += 65_536;
      response.once('drain', more);
    };
    more();
  });
  for (const origin of [announced, endless]) {
    expect(await failure(send(origin))).toMatchObject({
      code: 'connector_failed',
      message: `the answer of ${origin} is larger than 1000000 bytes`,
    });
  }
  expect(written).toBeLessThan(50_000_000);
});

test('S-79: the body of an error answer is cut, not refused', async () => {
  const origin = await serve((_request, response) => response.writeHead(500).end('x'.repeat(2_000_000)));
  const answer = await send(origin);
  expect(answer.status).toBe(500);
  expect(answer.body.length).toBeLessThan(200_000);
});

test('S-79: a million headers are refused', async () => {
  const origin = await raw((socket) => {
    socket.write('HTTP/1.1 200 OK\r\n');
    const more = () => {
      while (!socket.destroyed && socket.write('x-a: b\r\n'.repeat(1000)));
      socket.once('drain', more);
    };
    more();
  });
  expect((await failure(send(origin))).message).toBe(`the headers of the answer of ${origin} are too large`);
});

test('S-79: compressed bodies are bounded by what they become', async () => {
  const bomb = Buffer.alloc(50_000_000);
  const bodies: [string, Buffer][] = [
    ['gzip', gzipSync(bomb)],
    ['br', brotliCompressSync(bomb)],
    ['gzip, gzip', gzipSync(gzipSync(bomb))],
    ['gzip, gzip, gzip', gzipSync('x')],
    ['gzip', Buffer.from('no gzip')],
    ['sdch', Buffer.from('x')],
  ];
  const messages: string[] = [];
  for (const [encoding, body] of bodies) {
    const origin = await serve((_request, response) =>
      response.writeHead(200, { 'content-encoding': encoding }).end(body),
    );
    const refused = await failure(send(origin));
    expect(refused.code).toBe('connector_failed');
    messages.push(refused.message);
  }
  expect(messages).toEqual([
    'the answer is larger than 1000000 bytes',
    'the answer is larger than 1000000 bytes',
    'the answer is larger than 1000000 bytes',
    'the answer is compressed more than twice',
    'the answer is damaged: it cannot be unpacked',
    'the answer is compressed as "sdch", which is not one of gzip, deflate, br and zstd',
  ]);
});

test('R-79: a refused connection, an unknown name, a broken connection and an answer other than HTTP are distinguished from timeouts', async () => {
  const broken = await raw((socket) => socket.destroy());
  const garbage = await raw((socket) => socket.write('SSH-2.0-x\r\n'));
  const silent = await serve(() => {});
  const outcomes = await Promise.all([
    failure(send('http://127.0.0.1:1')),
    failure(send('http://no-such-host.invalid')),
    failure(send(broken)),
    failure(send(garbage)),
    failure(send(silent, { deadline: 50 })),
  ]);
  expect(outcomes.map(({ code, sent, retriable, kind }) => ({ code, sent, retriable, type: kind.type }))).toEqual([
    { code: 'connector_refused', sent: false, retriable: true, type: 'connection' },
    { code: 'connector_refused', sent: false, retriable: true, type: 'connection' },
    { code: 'connector_refused', sent: true, retriable: true, type: 'connection' },
    { code: 'connector_failed', sent: true, retriable: true, type: 'unknown' },
    { code: 'connector_timeout', sent: true, retriable: true, type: 'timeout' },
  ]);
  expect(outcomes[4]?.message).toBe(`${silent} did not answer within 50 ms`);
});

test('the deadline also ends an answer that drips', async () => {
  const origin = await serve((_request, response) => {
    const timer = setInterval(() => response.write('x'), 5);
    response.on('close', () => clearInterval(timer));
  });
  expect((await failure(send(origin, { deadline: 100 }))).code).toBe('connector_timeout');
});

test('sockets are kept alive', async () => {
  const ports = new Set<number | undefined>();
  const origin = await serve((request, response) => {
    ports.add(request.socket.remotePort);
    response.end();
  });
  const one = client();
  for (let i = 0; i < 20; i++) await send(origin, {}, one);
  expect(ports.size).toBeLessThanOrEqual(2);
});

test('close lets what is under way finish', async () => {
  let answer: (() => void) | undefined;
  const origin = await serve((_request, response) => {
    answer = () => response.end('late');
  });
  const one = client();
  const slow = send(origin, {}, one);
  await expect.poll(() => answer).toBeDefined();
  const closed = one.close();
  answer?.();
  expect((await slow).body.toString()).toBe('late');
  await closed;
});

test('R-79: a peer that comes back is used again by the same client', async () => {
  const one = client();
  const first = createHttpServer((_request, response) => response.end('first'));
  await new Promise<void>((resolve) => first.listen(0, '127.0.0.1', resolve));
  const { port } = first.address() as AddressInfo;
  const origin = `http://127.0.0.1:${port}`;
  expect((await send(origin, {}, one)).body.toString()).toBe('first');
  first.closeAllConnections();
  await new Promise((resolve) => first.close(resolve));
  await expect
    .poll(() => failure(send(origin, {}, one)).then(({ code, sent }) => ({ code, sent })))
    .toEqual({
      code: 'connector_refused',
      sent: false,
    });
  const second = createHttpServer((_request, response) => response.end('second'));
  await new Promise<void>((resolve) => second.listen(port, '127.0.0.1', resolve));
  cleanups.push(() => {
    second.closeAllConnections();
    second.close();
  });
  expect((await send(origin, {}, one)).body.toString()).toBe('second');
});
