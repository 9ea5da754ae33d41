import { connect, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { binding, echo, reply, served } from '../../../connectors/rest/testing/served.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { HttpListener } from './listener.ts';

/** Requests that the callers of another thread have sent. */
const shared = new Int32Array(new SharedArrayBuffer(4));
const never = new AbortController().signal;
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** A connection that stays open, with what it has received. */
function connection(port: number): { socket: Socket; text: () => string; closed: Promise<void> } {
  const socket = connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString();
  });
  socket.on('error', () => undefined);
  return { socket, text: () => text, closed: new Promise((resolve) => socket.on('close', () => resolve())) };
}

/** A flow that answers when the test lets it. */
function held(): { deliver: () => Promise<Outcome>; answer: (outcome: Outcome) => void; running: () => boolean } {
  const waiting = Promise.withResolvers<Outcome>();
  let running = false;
  return {
    deliver: () => {
      running = true;
      return waiting.promise;
    },
    answer: waiting.resolve,
    running: () => running,
  };
}

describe('sockets', () => {
  test('R-19: a port in use is a failure that names connector and port; port 0 gives what was bound', async () => {
    await using server = await served([binding('GET /a', echo)]);
    expect(server.port).toBeGreaterThan(0);
    const application = {
      host: '127.0.0.1',
      port: server.port,
      handle: () => undefined,
      limits: {
        readTimeout: 1000,
        readRate: 8 * 1024,
        writeTimeout: 1000,
        idleTimeout: 1000,
        maxConnections: undefined,
      },
    };
    await expect(new HttpListener(['shop'], application).listen()).rejects.toMatchObject({
      code: 'connector_refused',
      message: `connector "shop" cannot listen on port ${server.port} of 127.0.0.1: another program is listening there`,
      at: { connector: 'shop' },
    });
  });

  test('R-81: what callers sent while the process had no time is answered when it stops, not reset', async () => {
    await using server = await served([binding('GET /a', () => reply(1))]);
    // Callers of another thread: this one is blocked while they connect and ask.
    const callers = new Worker(
      `const { connect } = require('node:net');
      const { parentPort, workerData } = require('node:worker_threads');
      const { port, count, sent } = workerData;
      for (let at = 0; at < count; at++) {
        const socket = connect(port, '127.0.0.1', () =>
          socket.write('GET /a HTTP/1.1\\r\\nHost: x\\r\\n\\r\\n', () => {
            Atomics.add(sent, 0, 1);
            Atomics.notify(sent, 0);
          }),
        );
        let text = '';
        socket.on('data', (piece) => (text += piece));
        socket.on('error', (error) => (text += error.code));
        socket.on('close', () => parentPort.postMessage(text));
      }`,
      { eval: true, workerData: { port: server.port, count: 50, sent: shared } },
    );
    const answers: string[] = [];
    callers.on('message', (text: string) => answers.push(text.slice(0, 12)));
    for (let sent = 0; sent < 50; sent = Atomics.load(shared, 0)) Atomics.wait(shared, 0, sent);
    expect(server.listener.connections).toBe(0);
    await server.listener.close(never);
    await until(() => answers.length === 50);
    expect(new Set(answers)).toEqual(new Set(['HTTP/1.1 200']));
    await callers.terminate();
  });

  test('R-82: idle keep-alive connections and silent ones do not delay the end', async () => {
    await using server = await served([binding('GET /a', () => reply(1))]);
    const idle = connection(server.port);
    idle.socket.write(get('/a'));
    await until(() => idle.text().endsWith('\r\n1') || idle.text().endsWith('1'));
    const silent = connection(server.port);
    await until(() => server.listener.connections === 2);
    expect(await server.listener.close(never)).toBe(0);
    await Promise.all([idle.closed, silent.closed]);
  });

  test('R-82: a request under way is answered while draining, then its connection closes', async () => {
    const flow = held();
    await using server = await served([binding('GET /slow', flow.deliver)]);
    const caller = connection(server.port);
    caller.socket.write(get('/slow'));
    await until(flow.running);
    const closing = server.listener.close(never);
    await until(() =>
      fetch(`${server.url}/other`).then(
        () => false,
        () => true,
      ),
    );
    flow.answer(reply({ late: true }));
    await caller.closed;
    expect(caller.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(caller.text().toLowerCase()).toContain('\r\nconnection: close\r\n');
    expect(caller.text()).toMatch(/\{"late":true\}$/);
    expect(await closing).toBe(0);
  });

  test('R-82: what is not done by the deadline is cut and counted', async () => {
    const flow = held();
    await using server = await served([binding('GET /slow', flow.deliver)]);
    const caller = connection(server.port);
    caller.socket.write(get('/slow'));
    await until(flow.running);
    expect(await server.listener.close(AbortSignal.timeout(30))).toBe(1);
    await caller.closed;
    flow.answer(reply(null));
    await server.idle();
    expect(server.finished).toEqual(['GET /slow 499']);
  });

  test('R-39: closing twice, and closing what never listened, is quiet', async () => {
    await using server = await served([binding('GET /a', echo)]);
    expect([await server.listener.close(never), await server.listener.close(never)]).toEqual([0, 0]);
  });

  test('another application takes over behind the same socket, and the old one finishes what it has', async () => {
    const flow = held();
    await using old = await served([binding('GET /a', flow.deliver)]);
    await using next = await served([binding('GET /a', () => reply('next'))]);
    const before = old.ask('/a');
    await until(flow.running);
    old.listener.swap(next.application);
    expect((await old.ask('/a')).json).toBe('next');
    flow.answer(reply('old'));
    expect((await before).json).toBe('old');
  });
});

describe('S-65: slow and greedy callers', () => {
  test('headers and bodies that do not arrive in time are 408', async () => {
    await using server = await served([binding('POST /a', echo)], { config: { read_timeout: 100 } });
    const [headers, body] = await Promise.all([
      server.raw('POST /a HTTP/1.1\r\nHost: x\r\n'),
      server.raw('POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{'),
    ]);
    expect(headers).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toMatch(/^HTTP\/1\.1 408 /);
    expect(body).toContain('{"error":"the request was not received in time","code":"read_timeout"}');
  });

  test('idle connections are closed', async () => {
    await using server = await served([binding('GET /a', () => reply(1))], { config: { idle_timeout: 50 } });
    expect(await server.raw(get('/a'))).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  });

  test('connections beyond `max_connections` are closed at once', async () => {
    await using server = await served([binding('GET /a', () => reply(1))], { config: { max_connections: 1 } });
    const first = connection(server.port);
    await until(() => server.listener.connections === 1);
    expect(await server.raw(get('/a'))).toBe('');
    first.socket.destroy();
  });

  test('a flood of pipelined requests is refused beyond `max_in_flight`, and the rest is answered', async () => {
    const flow = held();
    await using server = await served([binding('GET /a', flow.deliver)], { config: { max_in_flight: 3 } });
    const caller = connection(server.port);
    caller.socket.write(get('/a').repeat(10));
    await until(() => server.finished.length === 7);
    expect(server.finished).toEqual(Array.from({ length: 7 }, () => 'GET /a 503'));
    flow.answer(reply(1));
    await until(() => caller.text().match(/HTTP\/1\.1/g)?.length === 10);
    expect(
      caller
        .text()
        .match(/HTTP\/1\.1 (\d+)/g)
        ?.map((line) => line.slice(-3)),
    ).toEqual([...Array.from({ length: 3 }, () => '200'), ...Array.from({ length: 7 }, () => '503')]);
    expect(caller.text()).toContain('retry-after: 1');
    caller.socket.destroy();
  });

  test('more headers than any client needs are refused', async () => {
    await using server = await served([binding('GET /a', () => reply(1))]);
    const many = Array.from({ length: 250 }, (_, index) => `X-${index}: 1\r\n`).join('');
    expect(await server.raw(`GET /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${many}\r\n`)).toMatch(
      /^HTTP\/1\.1 431 /,
    );
    const large = `X-A: ${'a'.repeat(20_000)}\r\n`;
    expect(await server.raw(`GET /a HTTP/1.1\r\nHost: x\r\n${large}\r\n`)).toMatch(/^HTTP\/1\.1 431 /);
  });
});

describe('Expect: 100-continue', () => {
  const head = (length: number) =>
    `POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\nExpect: 100-continue\r\n\r\n`;

  test('`100 Continue` comes when the body is wanted, and a refusal instead when it is not', async () => {
    await using server = await served([binding('POST /a', ({ input }) => reply(input['x']))]);
    const caller = connection(server.port);
    caller.socket.write(head(7));
    await until(() => caller.text().startsWith('HTTP/1.1 100 Continue\r\n'));
    caller.socket.write('{"x":5}');
    await until(() => caller.text().endsWith('\r\n\r\n5'));
    caller.socket.destroy();
    const refused = await server.raw(head(10_000_000));
    expect(refused).toMatch(/^HTTP\/1\.1 413 /);
    expect(refused.toLowerCase()).toContain('\r\nconnection: close\r\n');
  });
});

describe('S-66: requests that two servers could read differently', () => {
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: x\r\n\r\n';
  test.each([
    ['both lengths', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n'],
    ['two lengths', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nContent-Length: 4\r\n\r\nabcd'],
    ['a list of lengths', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: 0, 4\r\n\r\nabcd'],
    ['a signed length', 'POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: +4\r\n\r\nabcd'],
    [
      'chunked before another coding',
      'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
    ],
    ['an unknown coding', 'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: xchunked\r\n\r\n0\r\n\r\n'],
    ['a space before the colon', 'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
    ['a folded header', 'GET /a HTTP/1.1\r\nHost: x\r\nX-A: 1\r\n 2\r\n\r\n'],
    ['bare line feeds', 'GET /a HTTP/1.1\nHost: x\n\n'],
    ['a bare line feed in the headers', 'GET /a HTTP/1.1\r\nHost: x\r\nX-A: 1\n\r\n'],
    [
      'a malformed chunk size',
      'POST /a HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n',
    ],
    ['a NUL in a header', 'GET /a HTTP/1.1\r\nHost: x\r\nX-A: \0\r\n\r\n'],
    ['no Host', 'GET /a HTTP/1.1\r\n\r\n'],
    ['two Hosts', 'GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n'],
    [
      'two types of content',
      'POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: text/csv\r\ncontent-type: application/json\r\nContent-Length: 2\r\n\r\n{}',
    ],
    ['two credentials', 'GET /a HTTP/1.1\r\nHost: x\r\nAuthorization: Basic YQ==\r\nAuthorization: Basic Yg==\r\n\r\n'],
  ])('%s: 400, and nothing behind it is served', async (_what, bytes) => {
    await using server = await served([
      binding('GET /a', echo),
      binding('POST /a', echo),
      binding('GET /smuggled', echo),
    ]);
    const answer = await server.raw(bytes + smuggled);
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect(answer.match(/HTTP\/1\.1 /g)).toHaveLength(1);
    expect(server.finished.filter((line) => line.includes('smuggled'))).toEqual([]);
  });

  test.each(['application/json\t;', 'APPLICATION/JSON', 'application/json;', ' application/json ; charset="UTF-8"'])(
    'Content-Type %j is JSON like any other',
    async (type) => {
      await using server = await served([binding('POST /a', ({ input }) => reply(input['x']))]);
      const head = `POST /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: ${type}\r\n`;
      const text = '{"x":1,"x":2}';
      expect(await server.raw(`${head}Content-Length: ${text.length}\r\n\r\n${text}`)).toMatch(/\r\n\r\n2$/);
      expect(await server.raw(`${head}Content-Length: 1\r\n\r\n{`)).toMatch(/^HTTP\/1\.1 400 /);
    },
  );
});
