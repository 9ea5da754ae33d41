import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { binding, echo, reply, served } from '../../../connectors/rest/testing/served.ts';
import type { Content } from '../../../foundation/contracts/content.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import type { Outcome } from '../../../foundation/contracts/outcome.ts';
import { type CutReason, HttpListener, type ListenerOptions } from './listener.ts';

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const large = 'x'.repeat(24 * 1024 * 1024);

/** A caller that keeps its own side open, and reads only what it is asked to. */
function caller(port: number, bytes: string) {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  socket.on('error', () => undefined);
  socket.pause();
  socket.write(bytes);
  let text = '';
  let isEnded = false;
  for (const end of ['end', 'close']) socket.on(end, () => (isEnded = true));
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.pause();
  return { socket, text: () => text, isEnded: () => isEnded, read: () => void socket.resume() };
}

/** The flows behind a listener of its own, with what it says about its connections. */
async function listening(
  flows: Parameters<typeof served>[0],
  config: Record<string, unknown>,
  options: ListenerOptions = {},
) {
  const server = await served(flows, { config });
  const reasons: CutReason[] = [];
  const listener = new HttpListener(['api'], server.application, { ...options, cut: (reason) => reasons.push(reason) });
  const { port } = await listener.listen();
  return {
    port,
    reasons,
    listener,
    finished: server.finished,
    async [Symbol.asyncDispose]() {
      await listener.close(AbortSignal.abort());
      await server[Symbol.asyncDispose]();
    },
  };
}

describe('S-65: a caller that is refused keeps nothing', () => {
  test.each([
    ['headers that do not end', 'POST /a HTTP/1.1\r\nHost: x\r\n', 'read_timeout'],
    [
      'a body that does not end',
      'POST /a HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 9\r\n\r\n{',
      'read_timeout',
    ],
    ['what is not HTTP', 'HELLO\r\n\r\n', undefined],
    ['two Hosts', 'GET /a HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n', undefined],
  ])('%s: many callers that never close are all gone, and others are served', async (_what, bytes, reason) => {
    await using server = await listening([binding('POST /a', echo), binding('GET /b', () => reply(1))], {
      read_timeout: 100,
      max_connections: 20,
    });
    const callers = Array.from({ length: 20 }, () => caller(server.port, bytes));
    await until(() => server.listener.connections === 20);
    await until(() => server.listener.connections === 0);
    expect(server.reasons).toEqual(reason === undefined ? [] : callers.map(() => reason));
    const answer = await fetch(`http://127.0.0.1:${server.port}/b`);
    expect([answer.status, await answer.text()]).toEqual([200, '1']);
    for (const { socket } of callers) socket.destroy();
  });

  test('one that reads gets its answer before the connection ends', async () => {
    await using server = await listening([binding('POST /a', echo)], { read_timeout: 100 });
    const late = caller(server.port, 'POST /a HTTP/1.1\r\nHost: x\r\n');
    late.read();
    await until(() => server.listener.connections === 1);
    await until(() => server.listener.connections === 0);
    expect(late.text()).toMatch(
      /^HTTP\/1\.1 408 [\s\S]*\{"error":"the request was not received in time","code":"read_timeout"\}$/,
    );
    late.socket.destroy();
  });

  test('S-66: what follows a request under way is not answered', async () => {
    const waiting = Promise.withResolvers<Outcome>();
    await using server = await listening([binding('GET /slow', () => waiting.promise)], {});
    const both = caller(server.port, `${get('/slow')}HELLO\r\n\r\n`);
    both.read();
    await until(() => server.listener.connections === 1);
    setImmediate(() => waiting.resolve(reply('done')));
    await until(() => server.listener.connections === 0);
    expect(both.text()).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\n"?done"?$/);
    expect(both.text().match(/HTTP\/1\.1/g)).toHaveLength(1);
    both.socket.destroy();
  });
});

describe('S-65: answers that no caller takes', () => {
  const flows = [binding('GET /large', () => reply(large)), binding('GET /small', () => reply(1))];

  test('end their connection when no byte was taken for `write_timeout`, and are counted', async () => {
    await using server = await listening(flows, { write_timeout: 100 });
    const stalled = Array.from({ length: 3 }, () => caller(server.port, get('/large')));
    await until(() => server.reasons.length === 3);
    await until(() => server.listener.connections === 0);
    expect(server.reasons).toEqual(['write_timeout', 'write_timeout', 'write_timeout']);
    for (const { socket } of stalled) socket.destroy();
  });

  test('pipelined ones too, when it is their turn', async () => {
    await using server = await listening(flows, { write_timeout: 100 });
    const stalled = caller(server.port, get('/small') + get('/large') + get('/large'));
    await until(() => server.reasons.length === 1);
    await until(() => server.listener.connections === 0);
    expect(server.reasons).toEqual(['write_timeout']);
    stalled.socket.destroy();
  });

  test('more pipelined requests than may wait end a connection that has many of them', async () => {
    const waiting = Promise.withResolvers<Outcome>();
    const slow = binding('GET /slow', () => waiting.promise);
    await using server = await listening([...flows, slow], {}, { mostPipelined: 300 });
    const pipelining = (count: number) => caller(server.port, get('/slow') + get('/small').repeat(count));
    const answers = (one: ReturnType<typeof caller>) => one.text().match(/HTTP\/1\.1 200/g)?.length ?? 0;
    const many = pipelining(300);
    await until(() => server.finished.length === 300);
    expect(server.reasons).toEqual([]);
    const few = pipelining(128);
    await until(() => server.finished.length === 428);
    const more = pipelining(129);
    await until(() => server.reasons.length === 1 && server.listener.connections === 2);
    expect(server.reasons).toEqual(['pipelining']);
    waiting.resolve(reply(1));
    for (const each of [many, few]) each.read();
    await until(() => answers(many) === 301 && answers(few) === 129);
    // Those that have had their turn do not count.
    few.socket.write(get('/small').repeat(300));
    await until(() => answers(few) === 429);
    expect(server.reasons).toEqual(['pipelining']);
    for (const each of [many, few, more]) each.socket.destroy();
  });

  test('a caller that has taken its answer may then be idle, or wait for a flow, for longer', async () => {
    const waiting = Promise.withResolvers<Outcome>();
    await using server = await listening([...flows, binding('GET /slow', () => waiting.promise)], {
      write_timeout: 500,
    });
    /** Takes the large answer. Both ends are in this process: where it is suspended for too long, another caller does. */
    const taking = async (requests: string) => {
      for (;;) {
        const one = caller(server.port, requests);
        one.read();
        await until(() => one.text().length > large.length || one.isEnded());
        if (one.text().length > large.length) return one;
      }
    };
    const [idle, queued] = [await taking(get('/large')), await taking(get('/large') + get('/slow'))];
    const before = server.reasons.length;
    // The connection that is cut last shows that the time of the others would have been over too.
    const stalled = caller(server.port, get('/large'));
    await until(() => server.reasons.length > before);
    idle.socket.write(get('/small'));
    waiting.resolve(reply(1));
    await until(() => idle.text().endsWith('\r\n\r\n1') && queued.text().endsWith('\r\n\r\n1'));
    expect(server.reasons.slice(before)).toEqual(['write_timeout']);
    for (const { socket } of [idle, queued, stalled]) socket.destroy();
  });

  test('hold a bounded amount together; the oldest makes room, a single one is left alone', async () => {
    await using server = await listening(flows, {}, { mostUnsent: 1 });
    const first = caller(server.port, get('/large'));
    await until(() => server.finished.length === 1);
    expect(server.reasons).toEqual([]);
    const second = caller(server.port, get('/large'));
    await until(() => server.reasons.length === 1);
    await until(() => server.listener.connections === 1);
    expect(server.reasons).toEqual(['unsent_limit']);
    second.read();
    await until(() => second.text().length > large.length);
    expect(server.reasons).toEqual(['unsent_limit']);
    for (const { socket } of [first, second]) socket.destroy();
  });
});

describe('S-65: a body that comes for longer than `read_timeout`', () => {
  /** A flow that takes the body as it comes, when it may. */
  function sizing(begin: Promise<void> = Promise.resolve()) {
    const deliver = async ({ input }: Message) => {
      await begin;
      let size = 0;
      for await (const piece of (input['body'] as Content).bytes.stream()) size += (piece as Buffer).length;
      return reply(size);
    };
    return binding('POST /a', deliver, { words: { format: 'binary' }, forwards: () => true });
  }

  /** Sends a body piece by piece, each after a pause. */
  async function slowly(port: number, pieces: number, piece: number, pause: number) {
    const slow = caller(port, `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${pieces * piece}\r\n\r\n`);
    slow.read();
    let sent = 0;
    for (; sent < pieces && !slow.isEnded(); sent++) {
      slow.socket.write('x'.repeat(piece));
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    await until(() => slow.text().includes('\r\n\r\n'));
    slow.socket.destroy();
    return [slow.text().slice(9, 12), sent === pieces];
  }

  test('at the pace of `read_rate` is taken; one below it is ended', async () => {
    await using server = await listening([sizing()], { read_timeout: 500, read_rate: 1000 });
    const [steady, slow] = await Promise.all([slowly(server.port, 60, 1000, 100), slowly(server.port, 600, 10, 100)]);
    expect([steady, slow]).toEqual([
      ['200', true],
      ['408', false],
    ]);
    expect(server.reasons).toEqual(['read_timeout']);
  });

  test('because the service does not take it is not the fault of its caller', async () => {
    const waiting = Promise.withResolvers<void>();
    const flow = sizing(waiting.promise);
    await using server = await listening([flow], { read_timeout: 200, read_rate: 1_000_000 });
    const size = 20_000_000;
    const sender = caller(server.port, `POST /a HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`);
    sender.socket.write('x'.repeat(size));
    // Another caller that is as late, and is ended, shows that the time is over several times.
    await slowly(server.port, 2, 10, 3_000);
    expect(server.reasons).toEqual(['read_timeout']);
    waiting.resolve();
    sender.read();
    await until(() => sender.text().endsWith(String(size)));
    sender.socket.destroy();
  });
});
