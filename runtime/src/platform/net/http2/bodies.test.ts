import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { beforeAll, describe, expect, test } from 'vitest';
import { until } from '../../../../../test/support/until.ts';
import { Content } from '../../../foundation/contracts/content.ts';
import type { HttpRequest } from '../client/http-request.ts';
import type { HttpFailure } from '../request.ts';
import { clientsFor, failure } from './testing/http2-client.ts';
import { http2Peer, type OwnCertificate, ownCertificate } from './testing/http2-peer.ts';

let own: OwnCertificate;
beforeAll(async () => {
  own = await ownCertificate();
});

const piece = randomBytes(64 * 1024);
const pieces = 400;

const { client: clientOf, send: sendFrom } = clientsFor(() => own);
const client = () => clientOf({ maxResponse: piece.length * pieces });
const send = (origin: string, request: Partial<HttpRequest> = {}, from = client()) => sendFrom(origin, request, from);

function digestOf(count: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < count; at++) hash.update(piece);
  return hash.digest('hex');
}

/** A content of which the bytes can be read once; `given` is called with each piece, and `left` when it is not read on. */
function passing(count: number, given: () => void = () => undefined, left: () => void = () => undefined): Content {
  const stream = () =>
    Readable.from(
      (function* () {
        try {
          for (let at = 0; at < count; at++) {
            given();
            yield piece;
          }
        } finally {
          left();
        }
      })(),
    );
  const read = () => {
    throw new Error('it is forwarded');
  };
  const bytes = { size: piece.length * count, inMemory: undefined, once: true, isFreeable: false, stream, read };
  return new Content(bytes, { filename: '', contentType: '' }, piece);
}

async function hashOf(stream: AsyncIterable<unknown>): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of stream) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

describe('bodies over HTTP/2', () => {
  test('are sent as fast as the peer takes them, and forwarded as fast as they are read', async () => {
    let sent = 0;
    let length: unknown;
    const peer = await http2Peer(own, async (stream, headers) => {
      length = headers['content-length'];
      stream.respond({ ':status': 200, 'x-hash': await hashOf(stream) });
      const more = () => {
        while (sent < pieces) {
          sent++;
          if (!stream.write(piece)) return void stream.once('drain', more);
        }
        stream.end();
      };
      more();
    });
    const from = client();
    const answer = await send(peer.url, { method: 'PUT', body: passing(pieces), pass: true }, from);
    expect([answer.headers['x-hash'], length]).toEqual([digestOf(pieces), String(piece.length * pieces)]);
    // What is not read stays with its sender, and others are served over the same connection.
    expect(sent).toBeLessThan(pieces);
    expect(await hashOf(answer.passing?.take() as Readable)).toBe(digestOf(pieces));
    expect([sent, peer.made]).toEqual([pieces, 1]);
  });

  test('of several answers over one connection are each whole', async () => {
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 200 });
      Readable.from(Array(40).fill(piece)).pipe(stream);
    });
    const from = client();
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(peer.url, { pass: true }, from)));
    const hashes = await Promise.all(answers.map(({ passing: body }) => hashOf(body?.take() as Readable)));
    expect([hashes, peer.made]).toEqual([Array(10).fill(digestOf(40)), 1]);
  });

  test('that are not read are left, and the peer sends no more', async () => {
    let isLeft = false;
    const peer = await http2Peer(own, (stream) => {
      stream.on('close', () => {
        isLeft = true;
      });
      stream.respond({ ':status': 200 });
      const more = () => {
        while (!stream.destroyed && stream.write(piece));
        stream.once('drain', more);
      };
      more();
    });
    const answer = await send(peer.url, { pass: true });
    answer.passing?.close();
    await until(() => isLeft);
    expect(peer.sessions.size).toBe(1);
  });

  test('of which the peer is silent within are left', async () => {
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 200 });
      stream.write('begun');
    });
    const from = client();
    const answer = await send(peer.url, { pass: true, deadline: 300 }, from);
    expect(await failure(hashOf(answer.passing?.take() as Readable))).toMatchObject({
      code: 'connector_timeout',
      sent: true,
    });
    await until(() => peer.sessions.size === 0);
  });

  test('are not sent on when the peer has answered before them', async () => {
    let isLeft = false;
    const peer = await http2Peer(own, (stream) => {
      stream.respond({ ':status': 413 }, { endStream: true });
      stream.close(0);
    });
    let given = 0;
    const body = passing(
      pieces * 10,
      () => void given++,
      () => void (isLeft = true),
    );
    const from = client();
    const outcome = await send(peer.url, { method: 'POST', body }, from).then(
      ({ status }) => status,
      ({ code, sent }: HttpFailure) => [code, sent],
    );
    expect(outcome).toBe(413);
    await until(() => isLeft);
    expect(given).toBeLessThan(pieces * 10);
  });

  test('that the peer does not take end at the deadline, and their source is left', async () => {
    let isLeft = false;
    const peer = await http2Peer(own, () => undefined);
    const body = passing(pieces * 10, undefined, () => void (isLeft = true));
    expect(await failure(send(peer.url, { method: 'POST', body, deadline: 300 }))).toMatchObject({
      code: 'connector_timeout',
      sent: true,
    });
    await until(() => isLeft && peer.sessions.size === 0);
  });

  test('of which the source fails end the request alone', async () => {
    const peer = await http2Peer(own, (stream, headers) => {
      if (headers[':path'] === '/fine') stream.respond({ ':status': 204 }, { endStream: true });
      else stream.resume();
    });
    const from = client();
    const body = passing(3, () => {
      throw new Error('the disk is gone');
    });
    const failed = await failure(send(peer.url, { method: 'POST', body }, from));
    expect([failed.sent, failed.message.includes('the disk is gone')]).toEqual([true, true]);
    expect((await send(peer.url, { path: '/fine' }, from)).status).toBe(204);
  });

  test.each([
    ['of which the source fails', () => Promise.reject(new Error('the disk is gone'))],
    ['that are not there at the deadline', () => new Promise<never>(() => undefined)],
  ])('A-04 %s are never whole for the peer, whose length was not announced', async (_, next) => {
    const ends: string[] = [];
    let received = 0;
    const peer = await http2Peer(own, (stream) => {
      stream.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      stream.on('end', () => ends.push(stream.aborted ? 'cut' : 'whole'));
      stream.on('close', () => ends.push(`code ${stream.rstCode}`));
    });
    const stream = () =>
      Readable.from(
        (async function* () {
          yield piece;
          await until(() => received === piece.length);
          yield await next();
        })(),
      );
    const bytes = { size: undefined, inMemory: undefined, once: true, isFreeable: false, stream, read: () => piece };
    const body = new Content(bytes, { filename: '', contentType: '' }, piece);
    const { sent } = await failure(send(peer.url, { method: 'POST', body, deadline: 500 }));
    await until(() => ends.some((end) => end.startsWith('code')));
    expect([sent, ends]).toEqual([true, ['code 2']]);
  });

  test('of an answer to HEAD, and of 204 are empty', async () => {
    const peer = await http2Peer(own, (stream, headers) => {
      stream.additionalHeaders({ ':status': 103, link: '</a>' });
      if (headers[':method'] === 'HEAD') stream.respond({ ':status': 200, 'content-length': 10 }, { endStream: true });
      else stream.respond({ ':status': 204 }, { endStream: true });
    });
    const from = client();
    const answers = [await send(peer.url, { method: 'HEAD' }, from), await send(peer.url, { method: 'DELETE' }, from)];
    expect(answers.map(({ status, body }) => [status, body.length])).toEqual([
      [200, 0],
      [204, 0],
    ]);
  });
});

describe('many requests over HTTP/2', () => {
  test('have further connections where one has a hundred under way', async () => {
    const waiting: (() => void)[] = [];
    const peer = await http2Peer(own, (stream) => {
      waiting.push(() => {
        stream.respond({ ':status': 204 }, { endStream: true });
      });
      if (waiting.length === 250) for (const answer of waiting) answer();
    });
    const from = client();
    const answers = await Promise.all(Array.from({ length: 250 }, () => send(peer.url, {}, from)));
    expect([new Set(answers.map(({ status }) => status)), peer.made]).toEqual([new Set([204]), 3]);
  });

  test('end each, and what changes something is done once at most, whatever happens to their connections', async () => {
    let at = 0;
    const peer = await http2Peer(own, (stream) => {
      const remainder = at++ % 17;
      stream.resume();
      if (remainder === 3) return stream.close(2);
      if (remainder === 7) return stream.session?.goaway();
      if (remainder === 11) return stream.session?.socket.destroy();
      if (remainder === 13) return undefined;
      return setImmediate(() => {
        if (stream.destroyed) return;
        stream.respond({ ':status': 200 });
        stream.end('x');
      });
    });
    const from = client();
    const outcomes: string[] = [];
    let next = 0;
    const askInTurn = async () => {
      for (let each = next++; each < 600; each = next++) {
        const signal = each % 19 === 0 ? AbortSignal.timeout(each % 50) : undefined;
        const request = { method: 'POST', path: `/${each}`, body: 'x', deadline: 1_000, signal };
        const outcome = await send(peer.url, request, from).then(
          () => 'answered',
          ({ code }: HttpFailure) => code,
        );
        outcomes.push(outcome);
      }
    };
    await Promise.all(Array.from({ length: 16 }, askInTurn));
    const known = new Set(['answered', 'cancelled', 'connector_refused', 'connector_timeout']);
    expect(outcomes.filter((outcome) => !known.has(outcome))).toEqual([]);
    expect(outcomes.filter((outcome) => outcome === 'answered').length).toBeGreaterThan(100);
    expect(new Set(peer.seen).size).toBe(peer.seen.length);
    await from.close();
    await until(() => peer.sessions.size === 0);
  });

  test('are not sent where the peer allows none, and make no further connections', async () => {
    const peer = await http2Peer(own, () => undefined, { settings: { maxConcurrentStreams: 0 } });
    const from = client();
    await failure(send(peer.url, { deadline: 300 }, from));
    const failed = await Promise.all(Array.from({ length: 5 }, () => failure(send(peer.url, { deadline: 300 }, from))));
    expect(failed.map(({ code, sent }) => [code, sent])).toEqual(Array(5).fill(['connector_timeout', false]));
    expect([peer.made, peer.seen]).toEqual([1, []]);
    await from.close();
    await until(() => peer.sessions.size === 0);
  });
});
