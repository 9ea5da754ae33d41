import { request as httpRequest, type IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { untilPassed } from '../../../../test/support/until.ts';
import { Content, type ContentBytes } from '../../foundation/contracts/content.ts';
import type { Deliver } from '../../platform/http/testing/served.ts';
import { binding, reply, served } from './testing/served.ts';

const text = '0123456789';
const modified = Date.parse('Sun, 06 Nov 1994 08:49:37 GMT');
const version = { etag: '"v1"', modified };
const dated = { etag: '"v1"', 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' };

/** A content of a store, which tells what is read of it. */
function stored(over: Partial<ContentBytes> = {}) {
  const reads: (readonly [number, number])[] = [];
  const part = (start: number, end: number) => {
    reads.push([start, end]);
    return Readable.from([Buffer.from(text.slice(start, end))], { objectMode: false });
  };
  const bytes: ContentBytes = {
    size: text.length,
    once: false,
    inMemory: undefined,
    stream: () => part(0, text.length),
    part,
    version,
    read: () => Buffer.from(text),
    ...over,
  };
  return { reads, content: new Content(bytes, { filename: 'a "ü".txt', contentType: 'text/plain' }, new Uint8Array()) };
}

const binary = { type: 'configuration' } as const;

/** A server of one content, and what is asked of it: status, headers that say something about bytes, and body. */
async function answering(
  answered: { readonly headers?: Record<string, string>; readonly status?: number; readonly _filename?: string } = {},
  over: Partial<ContentBytes> = {},
) {
  const { reads, content } = stored(over);
  const { _filename, ...more } = answered;
  const value = { _binary: content, _content_type: 'text/plain', ...(_filename && { _filename }) };
  const server = await served([
    binding('GET /a', () => reply(value, more), { binary }),
    binding('POST /a', () => reply(value, more), { binary }),
  ]);
  const ask = async (headers: Record<string, string> = {}, method = 'GET') => {
    const request = httpRequest(`${server.url}/a`, { method, headers });
    request.end();
    const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
    const body = Buffer.concat(await answer.toArray()).toString();
    const kept = Object.entries(answer.headers).filter(([name]) => !ofEvery.has(name));
    return { status: answer.statusCode, headers: Object.fromEntries(kept), body };
  };
  return { ask, reads, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() };
}

const ofEvery = new Set(['date', 'connection', 'keep-alive', 'x-content-type-options']);
const plain = 'text/plain; charset=utf-8';
const whole = { 'content-type': plain, 'content-length': '10', 'accept-ranges': 'bytes', ...dated };

describe('a content of a store', () => {
  test('has its length, its version, and says that ranges can be had', async () => {
    await using server = await answering();
    expect(await server.ask()).toEqual({ status: 200, headers: whole, body: text });
    expect(await server.ask({}, 'HEAD')).toEqual({ status: 200, headers: whole, body: '' });
    expect(server.reads).toEqual([[0, 10]]);
  });

  test('that its caller has is not sent, and not read', async () => {
    await using server = await answering({ headers: { 'cache-control': 'no-cache', 'x-other': 'a' } });
    const unmodified = { status: 304, headers: { ...dated, 'cache-control': 'no-cache' }, body: '' };
    for (const method of ['GET', 'HEAD']) {
      expect(await server.ask({ 'if-none-match': '"v0", "v1"' }, method)).toEqual(unmodified);
      expect(await server.ask({ 'if-modified-since': dated['last-modified'] }, method)).toEqual(unmodified);
    }
    expect((await server.ask({ 'if-match': '"v0"' })).status).toBe(412);
    expect(server.reads).toEqual([]);
    expect((await server.ask({ 'if-none-match': '"v0"' })).body).toBe(text);
  });

  test('is answered by range, and only that is read', async () => {
    await using server = await answering();
    const partial = (range: string, length: number) => ({
      status: 206,
      headers: { ...whole, 'content-length': String(length), 'content-range': range },
    });
    expect(await server.ask({ range: 'bytes=2-4' })).toEqual({ ...partial('bytes 2-4/10', 3), body: '234' });
    expect(await server.ask({ range: 'bytes=-2' })).toEqual({ ...partial('bytes 8-9/10', 2), body: '89' });
    expect(await server.ask({ range: 'bytes=7-', 'if-range': '"v1"' })).toEqual({
      ...partial('bytes 7-9/10', 3),
      body: '789',
    });
    expect(server.reads).toEqual([
      [2, 5],
      [8, 10],
      [7, 10],
    ]);
  });

  test('is answered as a whole where it has become another one, or the range says nothing', async () => {
    await using server = await answering();
    for (const headers of [
      { range: 'bytes=7-', 'if-range': '"v0"' },
      { range: 'bytes=7-', 'if-range': 'Sun, 06 Nov 1994 08:49:36 GMT' },
      { range: 'lines=1-2' },
      { range: 'bytes=0-,0-' },
    ] as Record<string, string>[])
      expect(await server.ask(headers)).toEqual({ status: 200, headers: whole, body: text });
    expect(await server.ask({ range: 'bytes=2-4' }, 'HEAD')).toEqual({ status: 200, headers: whole, body: '' });
  });

  test('several ranges are the parts of one body', async () => {
    await using server = await answering();
    const { status, headers, body } = await server.ask({ range: 'bytes=0-1,8-' });
    const [, boundary] = /^multipart\/byteranges; boundary=([0-9a-f]{36})$/.exec(headers['content-type'] as string)!;
    const part = (range: string, bytes: string) =>
      `\r\n--${boundary}\r\nContent-Type: ${plain}\r\nContent-Range: ${range}\r\n\r\n${bytes}`;
    const expected = `${part('bytes 0-1/10', '01')}${part('bytes 8-9/10', '89')}\r\n--${boundary}--\r\n`;
    expect([status, body]).toEqual([206, expected]);
    expect(headers['content-length']).toBe(String(expected.length));
    expect(headers).not.toHaveProperty('content-range');
  });

  test('a range that it does not have is 416, with its length', async () => {
    await using server = await answering();
    const { status, headers, body } = await server.ask({ range: 'bytes=10-' });
    expect([status, headers['content-range'], JSON.parse(body)]).toEqual([
      416,
      'bytes */10',
      { error: 'the content has 10 bytes, and none of that range', code: 'range_unsatisfiable' },
    ]);
  });

  test('headers that the flow writes are its version', async () => {
    await using server = await answering({ headers: { ETag: '"own"' } });
    expect((await server.ask()).headers).toEqual({ ...whole, etag: '"own"' });
    expect((await server.ask({ 'if-none-match': '"v1"' })).status).toBe(200);
    expect((await server.ask({ 'if-none-match': '"own"' })).status).toBe(304);
  });

  test('conditions and ranges are of requests that read, and of answers that are the content', async () => {
    await using server = await answering();
    await using created = await answering({ status: 203 });
    const asked = { range: 'bytes=0-1', 'if-none-match': '"v1"' };
    const { 'accept-ranges': _, ...other } = whole;
    const { etag: _e, 'last-modified': _m, ...unversioned } = other;
    expect(await server.ask(asked, 'POST')).toEqual({ status: 200, headers: unversioned, body: text });
    expect(await created.ask(asked)).toEqual({ status: 203, headers: unversioned, body: text });
  });

  test('without parts and version it is answered as it is', async () => {
    await using server = await answering({}, { part: undefined as never, version: undefined });
    const headers = { 'content-type': plain, 'content-length': '10' };
    expect(await server.ask({ range: 'bytes=0-1', 'if-none-match': '*' })).toEqual({
      status: 200,
      headers,
      body: text,
    });
  });

  test('a time to come, and a tag that no header can have, are not sent', async () => {
    const odd = { etag: '"a\r\nx: y"', modified: Date.now() + 3_600_000 };
    await using server = await answering({}, { version: odd });
    const { status, headers } = await server.ask();
    expect([status, headers]).toEqual([
      200,
      { 'content-type': plain, 'content-length': '10', 'accept-ranges': 'bytes' },
    ]);
  });
});

test('S-93: the type and the name of a file are data: it is saved, or shown in a sandbox', async () => {
  const { content } = stored();
  await using server = await served([
    binding('GET /file', () => reply({ _binary: content }), { binary }),
    binding('GET /named', () => reply({ _binary: content, _filename: 'b.txt' }), { binary }),
  ]);
  const shown = async (path: string) => {
    const { headers } = await server.ask(path);
    return [headers['content-type'], headers['content-disposition'], headers['content-security-policy']];
  };
  const name = `filename="a __.txt"`;
  expect(await shown('/file')).toEqual([
    plain,
    `attachment; ${name.replace('__', '___')}; filename*=UTF-8''a%20%22%C3%BC%22.txt`,
    'sandbox',
  ]);
  expect(await shown('/named')).toEqual([plain, 'attachment; filename="b.txt"', 'sandbox']);
});

describe('A-05: what is sent is read as the caller takes it', () => {
  test('a failure in the middle of a range ends the connection', async () => {
    const failing = () =>
      Readable.from(
        (function* () {
          yield Buffer.from('01');
          throw new Error('the disk is gone');
        })(),
        { objectMode: false },
      );
    await using server = await answering({}, { part: failing, stream: failing });
    await expect(server.ask({ range: 'bytes=0-4' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(server.ask({ range: 'bytes=0-1,4-5' })).rejects.toMatchObject({ code: 'ECONNRESET' });
    await expect(server.ask()).rejects.toMatchObject({ code: 'ECONNRESET' });
  });

  test('a caller that goes ends what is read', async () => {
    const silent: Readable[] = [];
    const part = () => {
      const stream = new Readable({ read: () => undefined });
      stream.push('0');
      silent.push(stream);
      return stream;
    };
    const { content } = stored({ part, stream: part });
    const close = () => void silent.at(-1)?.destroy();
    const deliver: Deliver = (message) => {
      message.contents?.().own({ close });
      return reply({ _binary: content });
    };
    await using server = await served([binding('GET /a', deliver, { binary })]);
    for (const range of ['bytes=0-4', 'bytes=0-1,3-4']) {
      const request = httpRequest(`${server.url}/a`, { headers: { range } });
      request.on('error', () => undefined).end();
      const answer = await new Promise<IncomingMessage>((resolve) => request.once('response', resolve));
      answer.on('error', () => undefined);
      request.destroy();
      await untilPassed(() => expect(silent.at(-1)?.destroyed).toBe(true));
    }
    await server.idle();
  });
});
