import { brotliCompressSync, deflateSync, gzipSync, zstdCompressSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { Failure } from '../../../foundation/errors/failure.ts';
import { encodingOf, type Packed, packedLike, unpackedOf } from './packed.ts';

const body = Buffer.from('{"a":"packed"}');
const limit = 1_000_000;

async function refusal(message: Packed) {
  const error = await unpackedOf(message, limit).then(
    () => undefined,
    (failure: unknown) => failure,
  );
  if (!(error instanceof Failure)) throw new Error('it was unpacked');
  return [error.code, error.passes, error.message];
}

describe('a packed body', () => {
  test.each([
    ['gzip', gzipSync(body)],
    ['GZip', gzipSync(body)],
    ['x-gzip', gzipSync(body)],
    ['deflate', deflateSync(body)],
    ['br', brotliCompressSync(body)],
    ['zstd', zstdCompressSync(body)],
    ['gzip, br', brotliCompressSync(gzipSync(body))],
    ['gzip:UTF-8', gzipSync(body)],
  ])('is unpacked (%s), and one that is put in its place is packed so', async (encoding, content) => {
    expect(await unpackedOf({ content, encoding }, limit)).toEqual(body);
    const other = Buffer.from('another');
    expect(await unpackedOf({ content: await packedLike({ content, encoding }, other), encoding }, limit)).toEqual(
      other,
    );
  });

  test('says so in a header of any case, or in a property, which wins', () => {
    const content = body;
    expect([
      encodingOf({ content, headers: { 'Content-ENCODING': 'gzip' } }),
      encodingOf({ content, headers: { 'content-encoding': 'gzip' }, encoding: 'br' }),
      encodingOf({ content, headers: { 'content-encodings': 'gzip', other: 'br' } }),
      encodingOf({ content: Buffer.alloc(0), encoding: 'gzip' }),
    ]).toEqual(['gzip', 'br', undefined, undefined]);
  });

  test.each(['utf-8', 'UTF-8', 'us-ascii', 'ISO-8859-1', 'binary', 'identity', '8bit', ''])(
    'is not one where the word is "%s"',
    async (encoding) => {
      expect(await unpackedOf({ content: body, encoding }, limit)).toEqual(body);
      expect(await packedLike({ content: body, encoding }, body)).toEqual(body);
    },
  );

  test('is given up by name, when it is damaged, and when it unpacks to too much', async () => {
    expect(await refusal({ content: body, encoding: 'LZ4' })).toEqual([
      'media_type_unsupported',
      'never',
      'the body of the message is compressed as "lz4", which is not one of gzip, deflate, br and zstd',
    ]);
    expect(await refusal({ content: gzipSync(body), encoding: 'gzip,gzip,gzip' })).toEqual([
      'media_type_unsupported',
      'never',
      'the body of the message is compressed more than twice',
    ]);
    expect(await refusal({ content: body, encoding: 'gzip' })).toEqual([
      'body_undecodable',
      'never',
      'the body of the message is damaged: it cannot be unpacked',
    ]);
    const zeros = Buffer.alloc(limit + 1);
    for (const [encoding, content] of [
      ['gzip', gzipSync(zeros)],
      ['deflate', deflateSync(zeros)],
      ['br', brotliCompressSync(zeros)],
      ['zstd', zstdCompressSync(zeros)],
    ] as const)
      expect(await refusal({ content, encoding })).toEqual([
        'body_too_large',
        'never',
        `the body of the message is larger than ${limit} bytes when it is unpacked, the most that a message may have`,
      ]);
  });
});
