import { type Duplex, pipeline as piped, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import {
  brotliDecompress,
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
  gunzip,
  inflate,
  zstdDecompress,
} from 'node:zlib';
import { Passage } from '../content/passage.ts';
import { Spool } from '../content/spool.ts';
import { Failure } from '../errors/failure.ts';

/** Encodings that `decompress` reads, as a value of Accept-Encoding. */
export const acceptEncoding = 'gzip, br';

const decoders: Readonly<Record<string, (body: Uint8Array, options: { maxOutputLength: number }) => Promise<Buffer>>> =
  {
    gzip: promisify(gunzip),
    'x-gzip': promisify(gunzip),
    deflate: promisify(inflate),
    br: promisify(brotliDecompress),
    zstd: promisify(zstdDecompress),
  };

const streams: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Undoes the Content-Encoding of a body. Rejects with `connector_failed` when the content would be larger than `limit`
 * bytes, is damaged, or is encoded in a way or a depth that no honest peer uses.
 */
export async function decompress(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  let content = body;
  for (const coding of codingsOf(encoding)) {
    const decode = decoders[coding] as (typeof decoders)[string];
    content = await decode(content, { maxOutputLength: limit }).catch((error: unknown) => {
      const large = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw large ? beyond(limit) : new Failure('connector_failed', damaged, { cause: error });
    });
  }
  return content;
}

/** The same for a body that is kept: what comes of it is kept too, and `body` is closed. */
export async function decompressKept(body: Spool, encoding: string, limit: number): Promise<Spool> {
  let content = body;
  try {
    for (const coding of codingsOf(encoding)) content = await decodedOnce(content, coding, limit);
    return content;
  } catch (error) {
    content.close();
    throw error;
  }
}

async function decodedOnce(from: Spool, coding: string, limit: number): Promise<Spool> {
  const into = new Spool();
  const whole = await from.content(0, { filename: '', contentType: '' });
  try {
    await pipeline(whole.bytes.stream(), (streams[coding] as () => Duplex)(), async (pieces: AsyncIterable<Buffer>) => {
      for await (const piece of pieces) {
        if (into.size + piece.length > limit) throw beyond(limit);
        await into.append(piece);
      }
    });
  } catch (cause) {
    into.close();
    throw cause instanceof Failure ? cause : new Failure('connector_failed', damaged, { cause });
  }
  from.close();
  return into;
}

/** The same for a body that is forwarded as it comes. Throws for an encoding that is not read, and closes `body` then. */
export function decompressPassing(body: Passage, encoding: string, limit: number): Passage {
  let codings: readonly string[];
  try {
    codings = codingsOf(encoding);
  } catch (error) {
    body.close();
    throw error;
  }
  if (codings.length === 0) return body;
  const from = body.take();
  const decoders = codings.map((coding) => (streams[coding] as () => Duplex)());
  // What fails reaches the reader through the last of them.
  piped([from, ...decoders], () => undefined);
  const stream = Readable.from(bounded(decoders.at(-1) as Duplex, from, limit), { objectMode: false });
  // A stream that was never read does not notify its source.
  stream.once('close', () => from.destroy());
  return new Passage({ size: undefined, begin: new Uint8Array(), stream });
}

async function* bounded(pieces: AsyncIterable<Buffer>, from: Readable, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  try {
    for await (const piece of pieces) {
      size += piece.length;
      if (size > limit) throw beyond(limit);
      yield piece;
    }
  } catch (cause) {
    if (cause instanceof Failure) throw cause;
    throw from.errored ?? new Failure('connector_failed', damaged, { cause });
  }
}

const damaged = 'the compressed answer is damaged';

function beyond(limit: number): Failure {
  return new Failure('connector_failed', `the answer is larger than ${limit} bytes`);
}

/** The encodings of a body, the last one first. */
function codingsOf(encoding: string): readonly string[] {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 2) throw new Failure('connector_failed', 'the answer is compressed more than twice');
  if (!codings.every((coding) => Object.hasOwn(decoders, coding)))
    throw new Failure('connector_failed', 'the answer is compressed in a way that was not asked for');
  return codings.reverse();
}
