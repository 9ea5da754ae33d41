import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { Content, type ContentBytes } from '../../../foundation/contracts/content.ts';
import { askHttp2, openHttp2 } from '../../../platform/http/testing/http2-caller.ts';
import { endsStream, frame, numbered, RawCaller, request } from '../../../platform/http/testing/http2-frames.ts';
import type { Deliver } from '../../../platform/http/testing/served.ts';
import { binding, echo, reply, type Served, served } from '../testing/served.ts';

const text = '0123456789';
const binary = { type: 'configuration' } as const;
const piece = Buffer.alloc(64 * 1024, 'x');
const pieces = 320;

/** A content of ten bytes of a store. */
function stored(): Content {
  const part = (start: number, end: number) =>
    Readable.from([Buffer.from(text.slice(start, end))], { objectMode: false });
  const bytes: ContentBytes = {
    size: text.length,
    once: false,
    inMemory: undefined,
    stream: () => part(0, text.length),
    part,
    version: { etag: '"v1"', modified: 0 },
    read: () => Buffer.from(text),
  };
  return new Content(bytes, { filename: 'a.txt', contentType: 'text/plain' }, new Uint8Array());
}

/** Pieces that were asked for of each large file, the last begun file last. */
interface Reads {
  readonly of: number[];
}

/** A file of 20 MiB, made as it is read. */
function large(reads: Reads): Content {
  const at = reads.of.push(0) - 1;
  const bytes: ContentBytes = {
    size: pieces * piece.length,
    once: true,
    inMemory: undefined,
    stream: () =>
      Readable.from(
        (async function* () {
          for (; (reads.of[at] as number) < pieces; reads.of[at] = (reads.of[at] as number) + 1) yield piece;
        })(),
        { objectMode: false, highWaterMark: 1 },
      ),
    read: () => Buffer.alloc(0),
  };
  return new Content(bytes, { filename: 'large.bin', contentType: 'application/octet-stream' }, new Uint8Array());
}

async function start(config: Record<string, unknown> = {}, fails?: Deliver): Promise<Served & Reads> {
  const reads: Reads = { of: [] };
  const service = await served(
    [
      binding('GET /a', echo),
      binding('GET /content', () => reply({ _binary: stored(), _content_type: 'text/plain' }), { binary }),
      binding('GET /large', () => reply({ _binary: large(reads) }), { binary }),
      binding('GET /list', () => reply(Array.from({ length: 20_000 }, (_, id) => ({ id })))),
      binding('GET /nothing', () => reply(null)),
      ...(fails === undefined ? [] : [binding('GET /fails', fails, { binary })]),
    ],
    { config: { http2: true, etag: true, ...config } },
  );
  return Object.assign(service, reads);
}

describe('an answer over HTTP/2', () => {
  test('has ranges, versions and no body where HTTP/1.1 has them so', async () => {
    await using service = await start();
    await using session = openHttp2(service.url);
    const cases: readonly (readonly [string, string, Record<string, string>])[] = [
      ['GET', '/content', {}],
      ['HEAD', '/content', {}],
      ['GET', '/content', { range: 'bytes=2-5' }],
      ['GET', '/content', { range: 'bytes=-3' }],
      ['GET', '/content', { range: 'bytes=20-' }],
      ['GET', '/content', { 'if-none-match': '"v1"' }],
      ['HEAD', '/content', { 'if-none-match': '"v1"' }],
      ['GET', '/content', { 'if-match': '"v0"' }],
      ['GET', '/a', {}],
      ['HEAD', '/a', {}],
      ['HEAD', '/list', {}],
      ['GET', '/nothing', {}],
      ['HEAD', '/nothing', {}],
      ['OPTIONS', '/a', {}],
      ['HEAD', '/none', {}],
    ];
    for (const [method, path, headers] of cases) {
      const {
        status,
        text: body,
        headers: given,
        code,
      } = await askHttp2(session, {
        ':method': method,
        ':path': path,
        ...headers,
      });
      const expected = await service.ask(path, { method, headers });
      const { 'content-length': _, ...rest } = given;
      const own = Object.fromEntries(Object.entries(expected.headers).filter(([name]) => name !== 'transfer-encoding'));
      const isEcho = path === '/a' && method !== 'OPTIONS';
      const what = `${method} ${path} ${JSON.stringify(headers)}`;
      if (isEcho) expect([what, status, code]).toEqual([what, expected.status, 0]);
      else expect([what, status, rest, body, code]).toEqual([what, expected.status, own, expected.text, 0]);
    }
    const { headers } = await askHttp2(session, { ':path': '/list' });
    const again = await askHttp2(session, { ':path': '/list', 'if-none-match': headers['etag'] as string });
    expect([again.status, again.text, again.headers['etag']]).toEqual([304, '', headers['etag']]);
  });

  test('A-05: whose caller takes nothing reads no more than fits, and others of its connection are sent whole', async () => {
    await using service = await start();
    const caller = new RawCaller(service.port);
    const open = (stream: number, bytes: number) => frame('window', 0, stream, numbered(bytes));
    caller.send(
      open(0, 0x7fff0000),
      request(1, 'GET', '/large'),
      request(3, 'GET', '/large'),
      request(5, 'GET', '/large'),
    );
    const received = (own: number) =>
      caller.frames.reduce(
        (sum, { kind, stream, payload }) => sum + (kind === 'data' && stream === own ? payload.length : 0),
        0,
      );
    await expect.poll(() => [1, 3, 5].map(received)).toEqual([65_535, 65_535, 65_535]);
    // One is let on, whole.
    caller.send(open(3, 0x7ff00000));
    await expect.poll(() => received(3)).toBe(pieces * piece.length);
    expect([received(1), received(5)]).toEqual([65_535, 65_535]);
    expect(service.of[1]).toBe(pieces);
    for (const at of [0, 2]) expect(service.of[at]).toBeLessThan(8);
    caller.end();
    await service.idle();
  });

  test('S-65, A-05: that is taken byte by byte is ended after `write_timeout`, and the others continue', async () => {
    await using service = await start({ write_timeout: 400 });
    const caller = new RawCaller(service.port);
    caller.send(frame('window', 0, 0, numbered(0x7fff0000)), request(1, 'GET', '/large'), request(3, 'GET', '/large'));
    let isDone = false;
    const drips = (async () => {
      while (!isDone) {
        caller.send(frame('window', 0, 1, numbered(1)), frame('window', 0, 3, numbered(40_000)));
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    })();
    // The connection is not ended by what it says about its windows: 16 KiB in that time are the least.
    await expect.poll(() => caller.outcomeOf(1)).toBe('reset 2');
    expect(caller.outcomeOf(3)).toBeUndefined();
    isDone = true;
    await drips;
    caller.send(frame('window', 0, 3, numbered(0x7ff00000)));
    await expect.poll(() => caller.outcomeOf(3)?.length).toBe(pieces * piece.length);
    caller.end();
    await service.idle();
  });

  test('A-04: whose bytes fail in the middle ends its stream with an error, never as if it were whole', async () => {
    const broken: Deliver = () => {
      const bytes: ContentBytes = {
        size: 30_000,
        once: true,
        inMemory: undefined,
        stream: () =>
          Readable.from(
            (async function* () {
              yield piece.subarray(0, 10_000);
              throw new Error('the store has gone');
            })(),
            { objectMode: false },
          ),
        read: () => Buffer.alloc(0),
      };
      return reply({ _binary: new Content(bytes, { filename: 'a', contentType: '' }, new Uint8Array()) });
    };
    await using service = await start({}, broken);
    await using session = openHttp2(service.url);
    expect((await askHttp2(session, { ':path': '/fails' })).code).toBe(2);
    expect((await askHttp2(session, { ':path': '/a' })).status).toBe(200);
    const caller = new RawCaller(service.port);
    caller.send(request(1, 'GET', '/fails'));
    await expect.poll(() => caller.outcomeOf(1)).toBe('reset 2');
    // The end of a stream says that all has come, where no length was announced.
    const own = caller.frames.filter(({ stream }) => stream === 1);
    expect(own.filter(({ kind, flags }) => kind !== 'reset' && (flags & endsStream) !== 0)).toEqual([]);
    expect(service.lines.map(({ message }) => message)).toEqual(Array(2).fill('answer could not be sent to its end'));
    caller.end();
  });

  test('A-04: whose caller sends more than is discarded is broken off, never as if it were whole', async () => {
    await using service = await start();
    await using session = openHttp2(service.url);
    const stream = session.request({ ':path': '/large', ':method': 'GET' }, { endStream: false });
    stream.on('error', () => undefined);
    let isWhole = false;
    stream.on('end', () => {
      isWhole = stream.rstCode === 0;
    });
    await new Promise((resolve) => stream.once('response', resolve));
    const closed = new Promise((resolve) => stream.once('close', () => resolve(stream.rstCode)));
    stream.write(Buffer.alloc(6 * 1024 * 1024));
    expect([await closed, isWhole]).toEqual([2, false]);
    expect((await askHttp2(session, { ':path': '/a' })).status).toBe(200);
    await service.idle();
  });

  test('A-05, A-06: a hundred are under way on one connection at most; a stream beyond them may be sent again', async () => {
    await using service = await start();
    const caller = new RawCaller(service.port);
    const streams = Array.from({ length: 101 }, (_, at) => 2 * at + 1);
    await expect.poll(() => caller.frames.some(({ kind, flags }) => kind === 'settings' && flags === 1)).toBe(true);
    caller.send(...streams.map((stream) => request(stream, 'GET', '/large')));
    await expect.poll(() => caller.outcomeOf(201)).toBe('reset 7');
    expect(service.started.length).toBe(100);
    caller.send(...streams.slice(0, 100).map((stream) => frame('reset', 0, stream, numbered(8))));
    await service.idle();
    caller.send(frame('window', 0, 0, numbered(0x7fff0000)), request(203, 'GET', '/nothing'));
    await expect.poll(() => caller.outcomeOf(203)).toBe('');
    caller.end();
  });
});
