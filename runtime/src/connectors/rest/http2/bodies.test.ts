import { readdirSync, readlinkSync } from 'node:fs';
import type { ClientHttp2Session, ClientHttp2Stream, OutgoingHttpHeaders } from 'node:http2';
import { afterEach, describe, expect, test } from 'vitest';
import type { Content } from '../../../foundation/contracts/content.ts';
import type { Message } from '../../../foundation/contracts/message.ts';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import {
  encoded,
  endsHeaders,
  endsStream,
  frame,
  numbered,
  padded,
  RawCaller,
  request,
} from '../../../platform/http/testing/http2-frames.ts';
import { binding, echo, reply, type Served, served } from '../testing/served.ts';

const mebibyte = 1024 * 1024;
const boundary = 'part-of-a-form';
const multipart = { ':method': 'POST', ':path': '/form', 'content-type': `multipart/form-data; boundary=${boundary}` };
const json = { ':method': 'POST', ':path': '/a', 'content-type': 'application/json' };
const fileHead = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\n\r\n`;
const formEnd = `\r\n--${boundary}--\r\n`;
const bytesOfJson = [['content-type', 'application/json']] as const;

/** Temporary files of this process, which have no names. */
const temporaryFiles = () =>
  readdirSync('/proc/self/fd').filter((name) => {
    try {
      return readlinkSync(`/proc/self/fd/${name}`).includes('svc-content-');
    } catch {
      return false;
    }
  }).length;

afterEach(() => expect.poll(temporaryFiles).toBe(0));

/** How long the file of a form is, and the bodies that flows were given. */
async function start(config: Record<string, unknown> = {}): Promise<Served & { readonly given: unknown[] }> {
  const given: unknown[] = [];
  const taken = ({ input }: Message) => {
    const { headers: _, ...body } = input;
    given.push(body);
    return reply(body);
  };
  const sized = ({ input }: Message) => {
    const { size } = input['file'] as Content;
    return reply({ size: Number(size) });
  };
  const service = await served([binding('POST /a', taken), binding('POST /form', sized), binding('GET /a', echo)], {
    config: { http2: true, ...config },
  });
  return Object.assign(service, { given });
}

async function isServing(session: ClientHttp2Session): Promise<void> {
  expect((await askHttp2(session, { ':path': '/a' })).status).toBe(200);
}

/** A stream whose body the test writes. */
function begin(session: ClientHttp2Session, headers: OutgoingHttpHeaders): ClientHttp2Stream {
  const stream = session.request(headers, { endStream: false });
  stream.on('error', () => undefined);
  stream.resume();
  return stream;
}

const statusOf = (stream: ClientHttp2Stream) =>
  new Promise<number | undefined>((resolve) => stream.once('response', ({ ':status': status }) => resolve(status)));

/** The outcome of frames of one stream. */
async function outcome(service: Served, ...frames: readonly Uint8Array[]): Promise<string | undefined> {
  const caller = new RawCaller(service.port);
  caller.send(...frames);
  await expect.poll(() => caller.outcomeOf(1)).toBeDefined();
  caller.end();
  return caller.outcomeOf(1);
}

describe('S-66, A-04: a body whose length is a lie', () => {
  const announced = (length: number) => request(1, 'POST', '/a', [...bytesOfJson, ['content-length', String(length)]]);
  const body = Buffer.from('{"n":1}');

  const late = (flags: number, name: string) => frame('headers', endsHeaders | flags, 1, encoded([[name, '1']]));
  // Node ends the connection of a body that is too long, whose stream it does not follow any further.
  test.each<[string, string, ...Uint8Array[]]>([
    ['less than announced', 'reset 1', announced(8), frame('data', endsStream, 1, body)],
    ['nothing instead of what is announced', 'reset 1', announced(7), frame('data', endsStream, 1)],
    ['more than announced', 'closed', announced(6), frame('data', endsStream, 1, body)],
    ['more than announced, in pieces', 'closed', announced(7), frame('data', 0, 1, body), frame('data', 0, 1, body)],
    ['something instead of nothing', 'closed', announced(0), frame('data', endsStream, 1, body)],
    ['trailers too early', 'reset 1', announced(8), frame('data', 0, 1, body), late(endsStream, 'x')],
    ['pseudo headers as trailers', 'reset 1', announced(7), frame('data', 0, 1, body), late(endsStream, ':path')],
    ['trailers that end nothing', 'reset 1', announced(7), frame('data', 0, 1, body), late(0, 'x')],
  ])('%s: no flow runs', async (_, ended, ...frames) => {
    await using service = await start();
    expect(await outcome(service, ...frames)).toBe(ended);
    await service.idle();
    expect([service.given, service.finished]).toEqual([[], ['POST /a 499']]);
  });

  test('padding and empty pieces do not belong to it, and trailers are not headers', async () => {
    await using service = await start();
    const paddedBody = frame('data', padded, 1, Buffer.concat([Buffer.from([3]), body, Buffer.alloc(3)]));
    const trailers = frame(
      'headers',
      endsHeaders | endsStream,
      1,
      encoded([
        ['x-user', 'root'],
        ['content-type', 'text/plain'],
      ]),
    );
    expect(await outcome(service, announced(7), frame('data', 0, 1), paddedBody, trailers)).toBe('{"n":1}');
    expect(service.given).toEqual([{ n: 1 }]);
  });

  test('is answered before it has come where it is too large', async () => {
    await using service = await start({ max_body: 1_000, max_upload: 2_000 });
    await using session = openHttp2(service.url);
    for (const [headers, length] of [
      [json, 1_001],
      [multipart, 2_001],
    ] as const) {
      const stream = begin(session, { ...headers, 'content-length': length });
      expect(await statusOf(stream)).toBe(413);
      stream.close();
    }
    await isServing(session);
  });
});

describe('a caller that waits for 100 Continue', () => {
  const expecting = { ...json, expect: '100-continue' };

  test('continues when the body is read', async () => {
    await using service = await start();
    await using session = openHttp2(service.url);
    const stream = begin(session, expecting);
    await new Promise<void>((resolve) => stream.once('continue', () => resolve()));
    const status = statusOf(stream);
    stream.end('{"n":1}');
    expect(await status).toBe(200);
    expect(service.given).toEqual([{ n: 1 }]);
  });

  test('is refused before it sends, and its stream is over', async () => {
    await using service = await start({ max_body: 10 });
    await using session = openHttp2(service.url);
    for (const [headers, status] of [
      [{ ...expecting, 'content-length': 11 }, 413],
      [{ ...expecting, ':path': '/none' }, 404],
    ] as const) {
      const stream = begin(session, headers);
      let isContinued = false;
      stream.once('continue', () => {
        isContinued = true;
      });
      expect(await statusOf(stream)).toBe(status);
      await new Promise<void>((resolve) => stream.once('close', () => resolve()));
      expect([isContinued, stream.rstCode]).toEqual([false, 0]);
    }
    await isServing(session);
  });
});

describe('a form with a file', () => {
  const filed = Buffer.concat([Buffer.from(fileHead), Buffer.alloc(3 * mebibyte, 'x'), Buffer.from(formEnd)]);

  test('is kept outside of memory and answered', async () => {
    await using service = await start();
    await using session = openHttp2(service.url);
    expect((await askHttp2(session, multipart, filed)).text).toBe(`{"size":${3 * mebibyte}}`);
  });

  test('beyond the limit is 413, whether its length is announced or not', async () => {
    await using service = await start({ max_upload: mebibyte });
    await using session = openHttp2(service.url);
    for (const announced of [{}, { 'content-length': filed.length }])
      expect((await askHttp2(session, { ...multipart, ...announced }, filed)).status).toBe(413);
    await isServing(session);
  });

  const cuts: readonly (readonly [string, (caller: RawCaller, streams: readonly number[]) => void])[] = [
    ['its stream is reset', (caller, streams) => resetAll(caller, streams, 8)],
    ['its stream is reset without an error', (caller, streams) => resetAll(caller, streams, 0)],
    ['its caller ends the connection', (caller) => caller.end()],
    ['its connection is cut', (caller) => caller.cut()],
  ];
  const resetAll = (caller: RawCaller, streams: readonly number[], code: number) => {
    for (const stream of streams) caller.send(frame('reset', 0, stream, numbered(code)));
  };
  test.each(cuts)('A-04 leaves nothing when %s in the middle', async (_, cut) => {
    await using service = await start();
    const caller = new RawCaller(service.port);
    const streams = [1, 3, 5, 7, 9];
    const send = (stream: number, from: number, to: number) => {
      for (let at = from; at < to; at += 12_000) caller.send(frame('data', 0, stream, filed.subarray(at, at + 12_000)));
    };
    for (const stream of streams) {
      caller.send(request(stream, 'POST', '/form', [['content-type', multipart['content-type']]]));
      send(stream, 0, 60_000);
    }
    const hasWindow = (own: number) => caller.frames.some(({ kind, stream }) => kind === 'window' && stream === own);
    await expect.poll(() => streams.every(hasWindow)).toBe(true);
    for (const stream of streams) send(stream, 60_000, 72_000);
    await expect.poll(temporaryFiles).toBe(5);
    cut(caller, streams);
    await service.idle();
    await expect.poll(temporaryFiles).toBe(0);
    expect(service.finished).toEqual(streams.map(() => 'POST /form 499'));
    caller.end();
  });

  test('A-04, S-65: that stalls in the middle is 408 and leaves nothing, and others of its connection are served', async () => {
    await using service = await start({ read_timeout: 300 });
    await using session = openHttp2(service.url);
    const stream = begin(session, multipart);
    const status = statusOf(stream);
    stream.write(filed.subarray(0, mebibyte));
    await expect.poll(temporaryFiles).toBe(1);
    expect((await askHttp2(session, multipart, filed)).status).toBe(200);
    expect(await status).toBe(408);
    await isServing(session);
  });

  test('A-05, A-06: many at once hold no more than their windows', async () => {
    const most = 40;
    await using service = await start({ max_in_flight: most });
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    let waiting = 0;
    await using held = await served(
      [
        binding(
          'POST /held',
          async () => {
            waiting++;
            await released;
            return reply({});
          },
          { words: { format: 'binary' }, forwards: () => true },
        ),
      ],
      { config: { http2: true, max_in_flight: most } },
    );
    // Nothing reads the bodies: each of their callers sends as much as its window takes.
    const callers = Array.from({ length: 4 }, () => new RawCaller(held.port));
    let sent = 0;
    for (const caller of callers)
      for (let stream = 1; stream < 20; stream += 2) {
        caller.send(request(stream, 'POST', '/held'));
        for (let piece = 0; piece < 4; piece++) caller.send(frame('data', 0, stream, Buffer.alloc(16_000, 'x')));
        sent += 64_000;
      }
    await expect.poll(() => waiting).toBe(most);
    const windows = callers
      .flatMap(({ frames }) => frames)
      .filter(({ kind, stream }) => kind === 'window' && stream > 0);
    expect(windows).toEqual([]);
    expect(sent).toBeLessThan(3 * mebibyte);
    // A byte beyond its window costs the caller its stream or its connection.
    const [caller] = callers as [RawCaller];
    caller.send(frame('data', 0, 1, Buffer.alloc(16_000, 'x')));
    await expect.poll(() => caller.outcomeOf(1)).toBeDefined();
    expect(['reset 3', 'closed']).toContain(caller.outcomeOf(1));
    release();
    for (const each of callers) each.end();
    await held.idle();
    await using session = openHttp2(service.url, {}, { maxSessionMemory: 1_000 });
    const before = process.memoryUsage();
    const sizes = await Promise.all(Array.from({ length: most }, () => askHttp2(session, multipart, filed)));
    expect(sizes.map(({ text }) => text)).toEqual(Array(most).fill(`{"size":${3 * mebibyte}}`));
    const { external, arrayBuffers } = process.memoryUsage();
    expect(external + arrayBuffers - before.external - before.arrayBuffers).toBeLessThan(100 * mebibyte);
  });
});

test('a body that is not read any more is discarded, and one without end loses its stream alone', async () => {
  await using service = await start({ max_body: 1_000 });
  await using session = openHttp2(service.url);
  const stream = begin(session, { ...json, ':path': '/none' });
  const closed = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
  const piece = Buffer.alloc(64 * 1024, ' ');
  let written = 0;
  const write = () => {
    if (stream.destroyed || stream.closed) return;
    written += piece.length;
    stream.write(piece, write);
  };
  write();
  expect(await closed).toBe(0);
  expect(written).toBeLessThan(8 * mebibyte);
  await isServing(session);
});
