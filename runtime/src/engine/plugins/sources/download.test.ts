import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createServer as createTcpServer, type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { download } from './download.ts';

const open: (() => void)[] = [];

afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function listening(server: Server | ReturnType<typeof createTcpServer>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  open.push(() => void server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function serving(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  open.push(() => server.closeAllConnections());
  return listening(server);
}

/** A peer that speaks for itself. */
async function speaking(speak: (socket: Socket) => void): Promise<string> {
  return listening(
    createTcpServer((socket) => {
      open.push(() => socket.destroy());
      socket.on('error', () => undefined).once('data', () => speak(socket));
    }),
  );
}

const { signal } = new AbortController();
const limits = { time: 400, bytes: 100_000 };

test('bytes come as they are sent, also where an encoding is said of them', async () => {
  const place = await serving((_, response) => {
    response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'application/gzip' });
    response.end(Buffer.from([0x1f, 0x8b, 1, 2]));
  });
  expect(await download(`${place}/geo.tgz`, signal)).toEqual(Buffer.from([0x1f, 0x8b, 1, 2]));
});

test('redirects are followed, a few times', async () => {
  const place = await serving(({ url }, response) => {
    if (url === '/geo.tgz') response.writeHead(302, { location: '/moved?signature=canary' }).end();
    else if (url === '/loop.tgz') response.writeHead(302, { location: '/loop.tgz' }).end();
    else response.end('x');
  });
  expect((await download(`${place}/geo.tgz`, signal)).toString()).toBe('x');
  await expect(download(`${place}/loop.tgz`, signal)).rejects.toThrow('redirects more than 5 times');
});

test.each(['http://example.test/geo.tgz', 'http://127.0.0.1:1/geo.tgz', 'file:///etc/passwd', 'ftp://a/b'])(
  'S-84: a redirect to %s is refused',
  async (location) => {
    const place = await serving((_, response) => void response.writeHead(302, { location }).end());
    await expect(download(`${place}/geo.tgz`, signal)).rejects.toThrow('redirects to a place without encryption');
  },
);

test.each([404, 401, 500, 204, 304, 206])('an answer with the status %i is refused', async (status) => {
  const place = await serving((_, response) => void response.writeHead(status).end());
  await expect(download(`${place}/geo.tgz`, signal)).rejects.toThrow(`answers with the status ${status}`);
});

test.each<[string, (socket: Socket) => void, RegExp]>([
  ['is silent', () => undefined, /did not answer within/],
  ['sends a byte now and then', (socket) => void setInterval(() => socket.write('H'), 50).unref(), /cannot be fetched/],
  [
    'says more than it sends',
    (socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 999\r\n\r\nabc'),
    /fetched/,
  ],
  [
    'is cut',
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\na', () => socket.destroy()),
    /fetched/,
  ],
  ['speaks another protocol', (socket) => void socket.end('SSH-2.0-x\r\n'), /cannot be fetched/],
  [
    'promises too much',
    (socket) => void socket.write('HTTP/1.1 200 OK\r\ncontent-length: 99999999\r\n\r\n'),
    /fetched/,
  ],
])('S-84, A-04: a peer that %s is left', async (_, speak, reason) => {
  const place = await speaking(speak);
  await expect(download(`${place}/geo.tgz`, signal, limits)).rejects.toThrow(reason);
});

test('S-84, A-04: a peer that sends without end is left', async () => {
  let sent = 0;
  const place = await serving((_, response) => {
    const more = () => {
      while (!response.destroyed && response.write(Buffer.alloc(16_384))) sent += 16_384;
    };
    response.on('drain', more);
    more();
  });
  await expect(download(`${place}/geo.tgz`, signal, { ...limits, time: 60_000 })).rejects.toThrow('cannot be fetched');
  expect(sent).toBeGreaterThan(limits.bytes);
});

test('a command that is interrupted ends it', async () => {
  const place = await speaking(() => undefined);
  const interrupt = new AbortController();
  const got = download(`${place}/geo.tgz`, interrupt.signal);
  setImmediate(() => interrupt.abort());
  await expect(got).rejects.toThrow('cancelled');
});
