import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';

/** A body that is known by its length and digest; its bytes are not held. */
export interface Measured {
  readonly size: number;
  readonly sha256: string;
}

export const megabyte = 1024 * 1024;
const piece = Buffer.alloc(megabyte, 'payload ');

/** `count` megabytes, one after another. */
export function* megabytes(count: number): Generator<Buffer> {
  for (let sent = 0; sent < count; sent++) yield piece;
}

export async function measure(stream: AsyncIterable<Uint8Array>): Promise<Measured> {
  const hash = createHash('sha256');
  let size = 0;
  for await (const chunk of stream) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { size, sha256: hash.digest('hex') };
}

export function measured(chunks: Iterable<Uint8Array>): Measured {
  const hash = createHash('sha256');
  let size = 0;
  for (const chunk of chunks) {
    size += chunk.length;
    hash.update(chunk);
  }
  return { size, sha256: hash.digest('hex') };
}

/** What the peer was sent last. */
export interface Stored extends Measured {
  readonly type: string | undefined;
  readonly length: string | undefined;
}

export interface Peer extends AsyncDisposable {
  readonly address: string;
  readonly stored: Stored[];
  /** Answers that never come to their end. */
  readonly silent: ServerResponse[];
  /** Bytes of endless answers that the service took, or that lie in between. */
  bytes: number;
}

/** Kinds of answers at `GET /big?kind=…`. */
const answers: Readonly<
  Record<string, (response: ServerResponse, peer: Pick<Peer, 'silent'> & { bytes: number }) => void>
> = {
  large: (response) => void stream(response, 100),
  small: (response) => {
    response.writeHead(200, {
      'content-type': 'image/png',
      'content-disposition': 'attachment; filename="../a b.png"',
    });
    response.end(Buffer.from([0x89, 0x50, 0, 0xff]));
  },
  gzip: (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-encoding': 'gzip' });
    response.end(gzipSync(Buffer.concat([...megabytes(4)])));
  },
  cut: (response) => {
    response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': 10 * megabyte });
    response.write(piece, () => response.destroy());
  },
  overlong: (response) => {
    response.socket?.end(
      'HTTP/1.1 200 OK\r\ncontent-type: application/pdf\r\ncontent-length: 10\r\n\r\nlonger than it says',
    );
  },
  endless: (response, peer) => {
    peer.silent.push(response);
    response.writeHead(200, { 'content-type': 'application/pdf' });
    const more = () => {
      while (!response.destroyed && response.write(piece)) peer.bytes += piece.length;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  },
  silent: (response, { silent }) => {
    response.writeHead(200, { 'content-type': 'application/pdf' });
    response.write(piece);
    silent.push(response);
  },
  text: (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    response.end('as ever');
  },
};

async function stream(response: ServerResponse, count: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/octet-stream' });
  for (const chunk of megabytes(count))
    if (!response.write(chunk)) await new Promise<void>((resolve) => response.once('drain', () => resolve()));
  response.end();
}

export async function startPeer(): Promise<Peer> {
  const stored: Stored[] = [];
  const state = { silent: [] as ServerResponse[], bytes: 0 };
  const store = async (request: IncomingMessage, response: ServerResponse) => {
    const { 'content-type': type, 'content-length': length } = request.headers;
    const body = await measure(request);
    stored.push({ ...body, type, length });
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ stored: body.size, type }));
  };
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://peer');
    if (pathname === '/store') store(request, response).catch(() => response.destroy());
    else answers[searchParams.get('kind') ?? '']?.(response, state);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stored,
    silent: state.silent,
    get bytes() {
      return state.bytes;
    },
    set bytes(bytes) {
      state.bytes = bytes;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
