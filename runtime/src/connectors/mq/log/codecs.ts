import { promisify } from 'node:util';
import { gunzip, gzip, zstdCompress, zstdDecompress } from 'node:zlib';
import { mostOfLz4, readSnappy } from './packed-size.ts';

/** How record batches are compressed. */
export type Compression = 'none' | 'gzip' | 'snappy' | 'lz4' | 'zstd';

/** The number of each in the attributes of a record batch. */
export const compressionNumbers = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const;

interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

const packers = { gzip: promisify(gzip), zstd: promisify(zstdCompress) };
const unpackers = { gzip: promisify(gunzip), zstd: promisify(zstdDecompress) };

/** Neither Node nor the client has these; they run as WebAssembly. */
const others = () => import('@platformatic/wasm-utils/bundled');

/** The codecs of the client library, by their number. A batch that decompresses to more than `most` bytes is refused. */
export function codecs(most: number): Readonly<Record<number, () => Codec>> {
  const ofNode = (name: 'gzip' | 'zstd'): Codec => ({
    compress: ({ buffer }) => packers[name](buffer),
    decompress: (bytes) => unpackers[name](bytes, { maxOutputLength: most }),
  });
  const snappy: Codec = {
    compress: async ({ buffer }) => (await others()).snappyCompress(buffer),
    decompress: async (bytes) => {
      const { snappyDecompress } = await others();
      return readSnappy(bytes, most, snappyDecompress);
    },
  };
  const lz4: Codec = {
    compress: async ({ buffer }) => (await others()).lz4Compress(buffer),
    decompress: async (bytes) => {
      if (mostOfLz4(bytes) > most) throw tooLarge(most);
      return (await others()).lz4Decompress(bytes);
    },
  };
  const { gzip: gzipNumber, snappy: snappyNumber, lz4: lz4Number, zstd: zstdNumber } = compressionNumbers;
  return {
    [gzipNumber]: () => ofNode('gzip'),
    [snappyNumber]: () => snappy,
    [lz4Number]: () => lz4,
    [zstdNumber]: () => ofNode('zstd'),
  };
}

function tooLarge(most: number): RangeError {
  return new RangeError(`a batch of messages has more than ${most} bytes when it is decompressed (max_response)`);
}
