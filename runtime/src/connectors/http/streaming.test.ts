import { createHash, randomBytes } from 'node:crypto';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { Content, ContentOwner } from '../../foundation/contracts/content.ts';
import { client, listen, run } from './testing/peer.ts';

const piece = randomBytes(64 * 1024);
const pieces = 800;
const words = {
  auth: { type: 'digest', username: 'u', password: 'p' },
  circuit_breaker: {},
  hedge: { after: 60_000, max: 2 },
  cache: {},
};

function digestOf(count: number): string {
  const hash = createHash('sha256');
  for (let at = 0; at < count; at++) hash.update(piece);
  return hash.digest('hex');
}

/** A content of which the bytes can be read once, as that of an upload which is forwarded. */
function passing(count: number): Content {
  const stream = () =>
    Readable.from(
      (function* () {
        for (let at = 0; at < count; at++) yield piece;
      })(),
    );
  const read = () => {
    throw new Error('it is forwarded');
  };
  return new Content(
    { size: piece.length * count, inMemory: undefined, once: true, isFreeable: false, stream, read },
    { filename: '', contentType: '' },
    piece,
  );
}

test('a large answer is forwarded as it comes, whatever words the client has', async () => {
  let sent = 0;
  const { url } = await listen((_, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'cache-control': 'max-age=60' });
    const more = () => {
      while (sent < pieces)
        if (!response.write(piece, () => undefined) && ++sent < pieces) return void response.once('drain', more);
      response.end();
    };
    more();
  });
  const api = await client({ base_url: url, max_response: piece.length * pieces, ...words });
  const contents = new ContentOwner();
  const result = await run(api, { operation: 'GET /', once: true }, { passes: true, contents });
  const content = result?.value as Content;
  expect(sent).toBeLessThan(pieces);
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of content.bytes.stream()) {
    size += (chunk as Buffer).length;
    hash.update(chunk as Buffer);
  }
  expect([size, hash.digest('hex')]).toEqual([piece.length * pieces, digestOf(pieces)]);
  contents.release();
});

test('a body that can be sent once is sent once, also where credentials are asked for', async () => {
  const lines: string[] = [];
  const { url } = await listen(async (request, response) => {
    const hash = createHash('sha256');
    for await (const chunk of request) hash.update(chunk as Buffer);
    const { authorization } = request.headers;
    lines.push(
      `${request.method} ${authorization === undefined ? 'bare' : 'known'} ${hash.digest('hex') === digestOf(20)}`,
    );
    if (authorization === undefined)
      return response.writeHead(401, { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' }).end();
    return response.end('{}');
  });
  const api = await client({ base_url: url, ...words });
  const call = { verb: 'create', target: '/', binary: true } as const;
  await run(api, call, { payload: { _binary: passing(20) } });
  await run(api, call, { payload: { _binary: passing(20) } });
  expect(lines).toEqual(['HEAD bare false', 'POST known true', 'POST known true']);
});
