import { type ClientRequest, request as httpRequest, type IncomingMessage } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import type { Content } from '../../foundation/contracts/content.ts';
import type { Message } from '../../foundation/contracts/message.ts';
import type { Outcome } from '../../foundation/contracts/outcome.ts';
import { asFailure } from '../../foundation/errors/classify.ts';
import { Failure } from '../../foundation/errors/failure.ts';
import { binding, reply, served } from './testing/served.ts';

const words = { format: 'binary' } as const;
const forwards = () => true;
const limit = 10_000_000;
const piece = Buffer.alloc(64 * 1024, 'payload ');

/** A server whose one flow gets its body as it comes. */
function receiving(deliver: (body: Content, message: Message) => Outcome | Promise<Outcome>, config = {}) {
  const flow = (message: Message) => deliver(message.input['body'] as Content, message);
  return served([binding('POST /a', flow, { words, forwards })], { config: { max_upload: limit, ...config } });
}

async function sizeOf({ bytes }: Content): Promise<Outcome> {
  let size = 0;
  for await (const chunk of bytes.stream()) size += (chunk as Buffer).length;
  return reply({ size });
}

/** Begins a request, whose body the test writes. */
function begin(url: string, headers: Record<string, string | number> = {}) {
  const request = httpRequest(`${url}/a`, { method: 'POST', headers });
  const answer = new Promise<{ readonly status: number | undefined; readonly body: unknown }>((resolve, reject) => {
    request.on('response', async (response: IncomingMessage) => {
      const text = Buffer.concat(await response.toArray().catch(() => [])).toString();
      resolve({ status: response.statusCode, body: text === '' ? undefined : JSON.parse(text) });
    });
    request.on('error', reject);
  });
  answer.catch(() => undefined);
  return { request, answer };
}

/** Writes until nothing more is taken for a moment; gives the bytes. */
async function fill(request: ClientRequest): Promise<number> {
  let written = 0;
  for (;;) {
    written += piece.length;
    if (request.write(piece)) continue;
    const drained = new Promise<boolean>((resolve) => request.once('drain', () => resolve(true)));
    const stuck = new Promise<boolean>((resolve) => setTimeout(resolve, 300, false));
    if (!(await Promise.race([drained, stuck]))) return written;
  }
}

test.each<[string, Record<string, number>, bigint | null]>([
  ['with its length', { 'content-length': 3 * piece.length }, 196_608n],
  ['in chunks', {}, null],
])('a body is there while it comes, %s', async (_, headers, announced) => {
  const begun = Promise.withResolvers<void>();
  await using server = await receiving(async ({ bytes, size }, message) => {
    expect([bytes.once, size]).toEqual([true, announced]);
    const taken = bytes.stream()[Symbol.asyncIterator]();
    const first = await taken.next();
    begun.resolve();
    let received = (first.value as Buffer).length;
    for (let next = await taken.next(); next.done !== true; next = await taken.next()) received += next.value.length;
    expect(message.signal()?.aborted).toBe(false);
    return reply({ received });
  });
  const { request, answer } = begin(server.url, headers);
  request.write(piece);
  await begun.promise;
  request.write(piece);
  request.end(piece);
  expect(await answer).toEqual({ status: 200, body: { received: 3 * piece.length } });
});

test.each([
  ['with its length', { 'content-length': 0 }],
  ['in chunks', { 'transfer-encoding': 'chunked' }],
])('a body of no bytes is an empty file, %s', async (_, headers) => {
  await using server = await receiving(sizeOf);
  await using kept = await served([binding('POST /a', ({ input }) => sizeOf(input['body'] as Content), { words })]);
  for (const { url } of [server, kept]) {
    const { request, answer } = begin(url, headers);
    request.end();
    expect(await answer).toEqual({ status: 200, body: { size: 0 } });
  }
});

test('A-05: a caller sends no faster than the flow takes, and its bytes are whole', async () => {
  const go = Promise.withResolvers<void>();
  await using server = await receiving(
    async (body) => {
      await go.promise;
      return sizeOf(body);
    },
    { max_upload: 1_000_000_000 },
  );
  const { request, answer } = begin(server.url);
  const written = await fill(request);
  // What the system keeps between the two, which is far from what a caller could send.
  expect(written).toBeLessThan(20_000_000);
  go.resolve();
  request.end();
  expect(await answer).toEqual({ status: 200, body: { size: written } });
});

describe('A-04: bodies that do not come to their end', () => {
  test('S-64: more than max_upload is 413, announced or not, and later requests of the connection are answered', async () => {
    let begun = 0;
    await using server = await receiving((body) => {
      begun++;
      return sizeOf(body);
    });
    const announced = begin(server.url, { 'content-length': limit + 1 });
    announced.request.write(piece);
    expect((await announced.answer).status).toBe(413);
    announced.request.destroy();
    expect(begun).toBe(0);
    const { request, answer } = begin(server.url);
    for (let sent = 0; sent <= limit; sent += piece.length) request.write(piece);
    request.end();
    expect(await answer).toEqual({
      status: 413,
      body: { error: `the body is larger than ${limit} bytes`, code: 'body_too_large' },
    });
  });

  test('a caller that goes fails the stream and the signal of its message', async () => {
    const ended = Promise.withResolvers<readonly [string, boolean | undefined]>();
    await using server = await receiving(async (body, message) => {
      const signal = message.signal();
      const failure = await sizeOf(body).catch((error: unknown) => asFailure(error));
      await untilPassed(() => expect(signal?.aborted).toBe(true));
      ended.resolve([(failure as Failure).code, signal?.aborted]);
      throw failure;
    });
    const { request } = begin(server.url, { 'content-length': 2 * piece.length });
    request.write(piece, () => request.destroy());
    expect(await ended.promise).toEqual(['cancelled', true]);
    await server.idle();
    expect(server.finished).toEqual(['POST /a 499']);
  });

  test('a caller that is silent is ended by read_timeout', async () => {
    const failed = Promise.withResolvers<string>();
    await using server = await receiving(
      async (body) => {
        const failure = await sizeOf(body).catch((error: unknown) => asFailure(error));
        failed.resolve((failure as Failure).code);
        throw failure;
      },
      { read_timeout: 300 },
    );
    const { request, answer } = begin(server.url, { 'content-length': 2 * piece.length });
    request.write(piece);
    expect(await failed.promise).toBe('cancelled');
    expect((await answer).status).toBe(408);
  });
});

describe('bodies that are not taken', () => {
  const failing = new Failure('connector_failed', 'the disk is full');

  test('a flow that fails in the middle is answered, and the connection is used again', async () => {
    await using server = await receiving(async ({ bytes }) => {
      for await (const _ of bytes.stream()) throw failing;
      return reply(null);
    });
    const body = 'x'.repeat(200_000);
    const request = `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answers = (text: string) => text.match(/HTTP\/1\.1 500/g)?.length ?? 0;
    expect(answers(await server.raw(request.repeat(2), (text) => answers(text) === 2))).toBe(2);
  });

  test.each([
    ['that is answered at once', () => reply({ read: 0 })],
    [
      'that begins to take them and leaves them',
      ({ bytes }: Content) => {
        bytes.stream().read(0);
        return reply({ read: 0 });
      },
    ],
  ])('a flow %s lets its connection be used again', async (_, deliver) => {
    await using server = await receiving(deliver);
    const body = 'x'.repeat(200_000);
    for (const request of [
      `POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      `POST /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`,
    ]) {
      const answers = (text: string) => text.match(/HTTP\/1\.1 200/g)?.length ?? 0;
      expect(answers(await server.raw(request.repeat(2), (text) => answers(text) === 2))).toBe(2);
    }
  });

  test('a caller that waits for 100 Continue is not asked for a body that no one takes', async () => {
    await using server = await receiving(() => reply({ read: 0 }));
    const text = await server.raw(
      'POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n',
      (got) => got.includes('{"read":0}'),
    );
    expect(text).toMatch(/^HTTP\/1\.1 200/);
    await using taking = await receiving(sizeOf);
    const socket = connect(taking.port, '127.0.0.1');
    let got = '';
    socket.on('data', (chunk) => {
      got += chunk;
      if (got.startsWith('HTTP/1.1 100') && !got.includes('200')) socket.write('12345');
    });
    socket.write('POST /a HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 5\r\n\r\n');
    await untilPassed(() => expect(got).toContain('{"size":5}'));
    socket.destroy();
  });

  test('a timeout of the flow ends what reads the body, and what still comes is discarded', async () => {
    const failed = Promise.withResolvers<void>();
    await using server = await served([
      binding(
        'POST /a',
        (message) => {
          const stream = (message.input['body'] as Content).bytes.stream();
          message.signal()?.addEventListener('abort', () => {
            stream.destroy();
            failed.resolve();
          });
          stream.resume();
          return failed.promise.then(() => Promise.reject(failing));
        },
        { words, forwards, timeout: 100 },
      ),
    ]);
    const { request, answer } = begin(server.url);
    request.write(piece);
    expect((await answer).status).toBe(503);
    await failed.promise;
    // It is taken on, so that its sender comes to an end.
    await new Promise<void>((resolve) => request.write(piece, () => resolve()));
    await new Promise<void>((resolve) => request.end(() => resolve()));
  });
});

test('a flow beside the answering one reads the body too: it is kept', async () => {
  const seen: unknown[] = [];
  const see = ({ input }: Message) => {
    const { bytes } = input['body'] as Content;
    seen.push([bytes.once, bytes.read().toString()]);
    return reply(null);
  };
  await using server = await served([
    binding('POST /a', see, { words, forwards }),
    binding('POST /a', see, { words, forwards, flow: 'beside' }),
  ]);
  await server.ask('/a', { method: 'POST', body: 'abc' });
  await untilPassed(() =>
    expect(seen).toEqual([
      [false, 'abc'],
      [false, 'abc'],
    ]),
  );
});
