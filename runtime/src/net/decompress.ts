import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, zstdDecompress } from 'node:zlib';
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

/**
 * Undoes the Content-Encoding of a body. Rejects with `connector_failed` when the content would be larger than `limit`
 * bytes, is damaged, or is encoded in a way or a depth that no honest peer uses.
 */
export async function decompress(body: Buffer, encoding: string, limit: number): Promise<Buffer> {
  const codings = encoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity');
  if (codings.length > 2) throw new Failure('connector_failed', 'the answer is compressed more than twice');
  let content = body;
  for (const coding of codings.reverse()) {
    const decode = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined;
    if (!decode) throw new Failure('connector_failed', 'the answer is compressed in a way that was not asked for');
    content = await decode(content, { maxOutputLength: limit }).catch((error: unknown) => {
      const large = error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
      const message = large ? `the answer is larger than ${limit} bytes` : 'the compressed answer is damaged';
      throw new Failure('connector_failed', message, { cause: error });
    });
  }
  return content;
}
