import { createServer, type Socket } from 'node:net';
import { describe, expect, onTestFinished, test } from 'vitest';
import { type Fault, faultProxy } from '../../../../test/support/proxy.ts';
import { until } from '../../../../test/support/until.ts';
import { client, failure, recorder, run } from './testing/peer.ts';

/** A peer that handles each connection as the test says. */
async function rawPeer(handle: (socket: Socket) => void) {
  const open = new Set<Socket>();
  const server = createServer((socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => undefined);
    handle(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  const address = server.address() as { port: number };
  return { url: `http://127.0.0.1:${address.port}`, open };
}

const head = 'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n';

describe('R-79: the deadline holds, and the connection goes with it', () => {
  test.each<[string, (socket: Socket) => void]>([
    ['never answers', () => undefined],
    ['never reads', (socket) => void socket.pause()],
    ['ends its headers never', (socket) => void socket.write(head)],
    ['ends its body never', (socket) => void socket.write(`${head}Content-Length: 10\r\n\r\n{"a"`)],
    [
      'sends a byte now and then',
      (socket) => {
        socket.write(`${head}Content-Length: 1000\r\n\r\n`);
        const timer = setInterval(() => socket.write(' '), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
    [
      'sends chunks without end',
      (socket) => {
        socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
        const timer = setInterval(() => socket.write('1\r\n \r\n'), 10);
        socket.on('close', () => clearInterval(timer));
      },
    ],
  ])('of a peer that %s', async (_, handle) => {
    const peer = await rawPeer(handle);
    const api = await client({ base_url: peer.url, timeout: 100 });
    const payload = { text: 'x'.repeat(4_000_000) };
    const refusal = await failure(run(api, { operation: 'POST /' }, { payload }));
    expect(refusal).toMatchObject({ code: 'connector_timeout', message: `${peer.url} did not answer within 100 ms` });
    // One that does not read cannot see that the connection has ended.
    for (const socket of peer.open) socket.resume();
    await until(() => peer.open.size === 0);
  });

  test('an answer larger than it may be is not read on', async () => {
    let written = 0;
    const peer = await rawPeer((socket) => {
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`);
      const chunk = `4000\r\n${' '.repeat(0x4000)}\r\n`;
      const more = () => {
        while (!socket.destroyed && socket.write(chunk)) written += chunk.length;
        socket.once('drain', more);
      };
      more();
      socket.resume();
    });
    const api = await client({ base_url: peer.url, max_response: 100_000 });
    expect(await failure(run(api, { operation: 'GET /' }))).toMatchObject({
      code: 'connector_failed',
      message: `the answer of ${peer.url} is larger than 100000 bytes`,
    });
    await until(() => peer.open.size === 0);
    expect(written).toBeLessThan(20_000_000);
  });
});

describe('R-79: behind a faulty network', () => {
  const behind = async (config: Record<string, unknown> = {}) => {
    const { url, seen } = await recorder();
    const proxy = await faultProxy({ port: Number(new URL(url).port) });
    onTestFinished(() => proxy.close());
    const api = await client({ base_url: `http://127.0.0.1:${proxy.port}`, timeout: 150, ...config });
    return { proxy, seen, ask: (operation = 'GET /') => run(api, { operation }, { params: { a: 1 } }) };
  };

  test.each<[Fault, string]>([
    ['blackhole', 'connector_timeout'],
    ['cut', 'connector_refused'],
    ['refuse', 'connector_refused'],
  ])('%s: the failure is reported, no connection stays, and the next request is served', async (fault, code) => {
    const { proxy, ask } = await behind();
    await ask();
    proxy.fault = fault;
    if (fault === 'refuse') proxy.reset();
    expect((await failure(ask('POST /'))).code).toBe(code);
    await until(() => proxy.connections === 0);
    proxy.fault = 'pass';
    expect(await ask()).toEqual({ value: { ok: true } });
  });

  test('what never reached the peer is repeated, what may have is not', async () => {
    const { proxy, seen, ask } = await behind({ retry: { attempts: 3, delay: 1 } });
    proxy.fault = 'cut';
    const { length } = seen;
    expect((await failure(ask('POST /'))).code).toBe('connector_refused');
    expect(seen.length).toBe(length);
    proxy.fault = 'pass';
    await ask('POST /');
    expect(seen.length).toBe(length + 1);
  });
});

test('S-76: cookies of a peer are neither kept nor sent back, whatever else is', async () => {
  const { url, seen } = await recorder(
    { status: 307, headers: { location: '/there', 'set-cookie': 'a=1' } },
    { headers: { 'set-cookie': 'b=2; Path=/', 'cache-control': 'max-age=60' } },
  );
  const auth = { type: 'digest', username: 'u', password: 'p' };
  const api = await client({ base_url: url, auth, cache: {}, hedge: { after: 60_000, max: 2 }, circuit_breaker: {} });
  for (const operation of ['GET /a', 'GET /b', 'POST /c']) await run(api, { operation });
  expect(seen.map((each) => [each.url, each.headers.cookie])).toEqual([
    ['/a', undefined],
    ['/there', undefined],
    ['/b', undefined],
    ['/c', undefined],
  ]);
  await run(api, { operation: 'GET /d' }, { headers: { Cookie: 'c=3' } });
  expect(seen.at(-1)?.headers.cookie).toBe('c=3');
});
