import { once } from 'node:events';
import { connect } from 'node:net';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { connectorServices, httpServices, recordingLog } from '../../../../test/support/connector-services.ts';
import { until } from '../../../../test/support/until.ts';
import type { HttpExchange } from '../../foundation/contracts/http.ts';
import { HttpEdge } from './edge.ts';
import { HttpListener } from './sockets/listener.ts';

async function streaming(handle: (exchange: HttpExchange) => void, writeTimeout = 5_000) {
  const log = recordingLog();
  const cut: string[] = [];
  const finished: number[] = [];
  const observer = {
    of: () => ({ started: () => undefined, finished: (status: number) => finished.push(status) }),
  };
  const edge = new HttpEdge(
    [
      {
        connector: 'api',
        address: { host: '127.0.0.1', port: 0 },
        limits: { readTimeout: 5_000, readRate: 8 * 1024, writeTimeout, idleTimeout: 5_000, maxConnections: undefined },
        access: { cors: undefined, verifier: undefined, maxInFlight: 1000, timeout: undefined },
        builtins: false,
        routes: ['GET', 'HEAD'].map((method) => ({ method, path: '/a', handle })),
      },
    ],
    { ...connectorServices({ log }), http: httpServices({ observer }) },
  );
  const listener = new HttpListener(['api'], edge, { cut: (reason) => cut.push(reason) });
  const { port } = await listener.listen();
  return {
    edge,
    port,
    cut,
    finished,
    lines: log.lines,
    url: `http://127.0.0.1:${port}/a`,
    async [Symbol.asyncDispose]() {
      await listener.close(AbortSignal.abort());
    },
  };
}

/** Pieces without an end, and how many were asked for; `ended` when no more are wanted. */
function endless() {
  const state = { asked: 0, ended: false };
  async function* pieces() {
    try {
      for (;;) {
        state.asked++;
        yield Buffer.alloc(64 * 1024);
      }
    } finally {
      state.ended = true;
    }
  }
  return { state, pieces: pieces() };
}

/** A caller that asks, and reads nothing. */
async function silent(port: number) {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.pause();
  socket.write('GET /a HTTP/1.1\r\nHost: x\r\n\r\n');
  await once(socket, 'connect');
  return socket;
}

describe('answers that are sent piece by piece', () => {
  test('come as they are made, with their length where it is known', async () => {
    await using server = await streaming((exchange) =>
      exchange.stream(200, 'text/plain', { pieces: Readable.from(['one ', Buffer.from('two')]), length: 7 }),
    );
    const answer = await fetch(server.url);
    expect([answer.headers.get('content-length'), await answer.text()]).toEqual(['7', 'one two']);
    const head = await fetch(server.url, { method: 'HEAD' });
    expect([head.headers.get('content-length'), await head.text()]).toEqual(['7', '']);
    await server.edge.idle();
    expect(server.finished).toEqual([200, 200]);
  });

  test('what no one else holds is freed when it is sent, and arrives whole', async () => {
    const sent = (free: boolean) => {
      const pieces = ['a', 'b', 'c'].map((letter) => Buffer.allocUnsafeSlow(100_000).fill(letter));
      return { pieces, body: { pieces: Readable.from(pieces), length: 300_000, isFreeable: free } };
    };
    const [owned, shared] = [sent(true), sent(false)];
    const bodies = [owned.body, shared.body];
    await using server = await streaming((exchange) =>
      exchange.stream(200, 'text/plain', bodies.shift() as typeof owned.body),
    );
    const texts = [await (await fetch(server.url)).text(), await (await fetch(server.url)).text()];
    const whole = ['a', 'b', 'c'].map((letter) => letter.repeat(100_000)).join('');
    expect(texts.map((text) => text === whole)).toEqual([true, true]);
    await server.edge.idle();
    await until(() => owned.pieces.every(({ byteLength }) => byteLength === 0));
    expect(shared.pieces.map(({ byteLength }) => byteLength)).toEqual([100_000, 100_000, 100_000]);
  });

  test('S-65: a caller that takes nothing holds a bounded amount, and loses its connection', async () => {
    const { state, pieces } = endless();
    await using server = await streaming((exchange) => exchange.stream(200, 'text/plain', { pieces }), 200);
    const caller = await silent(server.port);
    await until(() => state.ended);
    await server.edge.idle();
    caller.destroy();
    // What the buffers of two sockets hold, and no more.
    expect(state.asked * 64).toBeLessThan(64 * 1024);
    expect(server.cut).toEqual(['write_timeout']);
  });

  test('a caller that goes away ends them, and fires the signal of the request', async () => {
    const { state, pieces } = endless();
    const aborted = Promise.withResolvers<void>();
    await using server = await streaming((exchange) => {
      exchange.signal().addEventListener('abort', () => aborted.resolve());
      exchange.stream(200, 'text/plain', { pieces });
    });
    const caller = await silent(server.port);
    await until(() => state.asked > 1);
    caller.destroy();
    await aborted.promise;
    await until(() => state.ended);
    await server.edge.idle();
    expect(server.lines).toEqual([]);
  });

  test.each([
    ['fails', undefined, /the disk is gone/],
    ['is longer than it said', 3, /longer than the 3 bytes/],
    ['is shorter than it said', 9, /the disk is gone|has 4 of the 9 bytes/],
  ])('a body that %s is not taken for whole, and the log says why', async (_what, length, why) => {
    async function* pieces() {
      yield 'four';
      if (length === undefined) throw new Error('the disk is gone');
    }
    await using server = await streaming((exchange) =>
      exchange.stream(200, 'text/plain', { pieces: pieces(), length }),
    );
    await expect(fetch(server.url).then((answer) => answer.text())).rejects.toThrow();
    await server.edge.idle();
    expect(server.lines).toMatchObject([
      { level: 'error', message: 'answer could not be sent to its end', fields: { error: expect.stringMatching(why) } },
    ]);
  });
});
