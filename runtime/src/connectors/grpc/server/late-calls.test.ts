import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect } from 'node:http2';
import { connect as connectSocket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { reply } from '../../../platform/http/testing/served.ts';
import { bindingOf, encoded, type ServedShop, servedShop } from '../testing/bed.ts';

/** A message as it is sent: uncompressed, with its length. */
function framed(message: object): Buffer {
  const bytes = encoded(message);
  const head = Buffer.alloc(5);
  head.writeUInt32BE(bytes.length, 1);
  return Buffer.concat([head, bytes]);
}

const message = framed({ text: 'hello' });
const half = message.subarray(0, 8);

describe('a caller of gRPC that is slow to send', () => {
  const sessions: ClientHttp2Session[] = [];
  const cuts: unknown[] = [];
  afterEach(() => {
    for (const session of sessions.splice(0)) session.destroy();
    cuts.length = 0;
  });

  const serving = (config: Record<string, unknown>) =>
    servedShop(
      [
        bindingOf('GetOrder', ({ input }) => reply({ text: input['text'] })),
        bindingOf('SendOrders', ({ input }) => reply({ text: String((input['messages'] as unknown[]).length) })),
      ],
      config,
      { connectionCut: (...said) => void cuts.push(said) },
    );

  /** A call with its head sent, and what it is answered. */
  function begun({ port }: ServedShop, method: string) {
    const session = connect(`http://127.0.0.1:${port}`);
    session.on('error', () => undefined);
    sessions.push(session);
    const stream = session.request({
      ':method': 'POST',
      ':path': `/shop.Shop/${method}`,
      'content-type': 'application/grpc',
      te: 'trailers',
    });
    const answer: { status?: unknown; message?: unknown; isOver?: true } = {};
    const note = (headers: Record<string, unknown>) => {
      if (headers['grpc-status'] === undefined) return;
      answer.status = headers['grpc-status'];
      answer.message = headers['grpc-message'];
    };
    stream
      .on('response', note)
      .on('trailers', note)
      .on('error', () => undefined)
      .resume();
    stream.on('close', () => (answer.isOver = true));
    return { stream, answer };
  }

  const late = { status: '4', message: encodeURI('the messages of the call did not arrive in time'), isOver: true };

  test.each([
    ['no message', 'GetOrder', []],
    ['half a message', 'GetOrder', [half]],
    ['a message and no end', 'GetOrder', [message]],
    ['nothing to a stream', 'SendOrders', []],
    ['a message of a stream and no more', 'SendOrders', [message, half]],
  ])('%s: the call is ended, and its stream is freed', async (_, method, pieces) => {
    await using served = await serving({ read_timeout: 100 });
    const { stream, answer } = begun(served, method);
    for (const piece of pieces) stream.write(piece);
    await until(() => answer.isOver);
    expect(answer).toEqual(late);
    expect(cuts).toEqual([['rpc', 'read_timeout']]);
    expect((await served.ask('GetOrder', { text: 'next' })).value).toEqual({ text: 'next' });
  });

  test('read_rate: a stream of few bytes is ended, one that keeps the pace may take its time', async () => {
    await using served = await serving({ read_timeout: 1000, read_rate: 1000 });
    const [slow, steady] = [begun(served, 'SendOrders'), begun(served, 'SendOrders')];
    const large = framed({ text: 'x'.repeat(400) });
    let count = 0;
    const every = (stream: ClientHttp2Stream, piece: Buffer) => stream.destroyed || stream.write(piece);
    const timer = setInterval(() => {
      count++;
      every(slow.stream, framed({}));
      every(steady.stream, large);
    }, 100);
    await until(() => slow.answer.isOver);
    await until(() => count >= 35);
    clearInterval(timer);
    steady.stream.end();
    await until(() => steady.answer.isOver);
    expect([slow.answer, steady.answer.status, cuts.length]).toEqual([late, '0', 1]);
  });

  test('a call that was refused, whose caller continues, is freed too', async () => {
    await using served = await serving({
      read_timeout: 100,
      auth: { type: 'basic', users: { ada: 'first secret' } },
    });
    const { stream, answer } = begun(served, 'SendOrders');
    stream.write(half);
    await until(() => answer.isOver);
    expect(answer.status).toBe('16');
  });

  test('a connection over which nothing comes is closed, one that waits for its next call is not', async () => {
    await using served = await serving({ read_timeout: 100 });
    expect((await served.ask('GetOrder', { text: 'a' })).code).toBe(0);
    const silent = connectSocket(served.port, '127.0.0.1').resume();
    await once(silent, 'close');
    expect(cuts).toEqual([['rpc', 'read_timeout']]);
    expect((await served.ask('GetOrder', { text: 'b' })).code).toBe(0);
  });
});
