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
import { Failure } from '../../foundation/errors/failure.ts';
import { Passage } from '../content/passage.ts';
import { Spool } from '../content/spool.ts';

/** Encodings that are asked for, as a value of Accept-Encoding. */
export const acceptEncoding = 'gzip, br';

/** What is wrong with a packed body. */
export type PackedProblem = 'damaged' | 'too large' | 'unknown encoding';

/** Makes the failure of a body that cannot be unpacked; `text` says what is wrong after a name for the body. */
export type RefusePacked = (problem: PackedProblem, text: string, cause?: unknown) => Failure;

/** The failure of an answer of a peer. */
export const ofAnswer: RefusePacked = (_, text, cause) =>
  new Failure('connector_failed', `the answer ${text}`, { cause });

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
 * Undoes the Content-Encoding of a body. Rejects with what `refuse` makes when the content would be larger than `limit`
 * bytes, is damaged, or is encoded in a way or a depth that no honest peer uses.
 */
export async function decompress(
  body: Buffer,
  encoding: string,
  limit: number,
  refuse: RefusePacked = ofAnswer,
): Promise<Buffer> {
  let content = body;
  for (const coding of codingsOf(encoding, refuse)) {
    const decode = decoders[coding] as (typeof decoders)[string];
    content = await decode(content, { maxOutputLength: limit }).catch((error: unknown) => {
      const large = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      throw large ? beyond(limit, refuse) : refuse('damaged', damaged, error);
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
    throw cause instanceof Failure ? cause : ofAnswer('damaged', damaged, cause);
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
    throw from.errored ?? ofAnswer('damaged', damaged, cause);
  }
}

const damaged = 'is damaged: it cannot be unpacked';

function beyond(limit: number, refuse = ofAnswer): Failure {
  return refuse('too large', `is larger than ${limit} bytes`);
}

/** The encodings of a body, the last one first. */
function codingsOf(encoding: string, refuse = ofAnswer): readonly string[] {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 2) throw refuse('unknown encoding', 'is compressed more than twice');
  const unknown = codings.find((coding) => !Object.hasOwn(decoders, coding));
  if (unknown !== undefined)
    throw refuse('unknown encoding', `is compressed as "${unknown.slice(0, 50)}", which is not one of ${known}`);
  return codings.reverse();
}

const known = 'gzip, deflate, br and zstd';
