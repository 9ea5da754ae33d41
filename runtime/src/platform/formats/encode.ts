import { Failure } from '../../foundation/errors/failure.ts';
import type { Codec, EncodingStyle } from './registry.ts';

/** Bytes of a body that is made piece by piece and held as a whole. */
const mostBytes = 256 * 1024 * 1024;

/**
 * Encodes the body of a request or a message. Small ones are encoded at once, so that they cost no promise; what would hold the
 * event loop is written piece by piece, with turns between them. Throws or rejects with a Failure `output_invalid`.
 */
export function encodeBody(
  codec: Codec,
  value: unknown,
  style?: EncodingStyle,
): string | Uint8Array | Promise<Uint8Array> {
  const pieces = codec.pieces?.(value, style);
  return pieces === undefined ? codec.encode(value, style) : wholeOf(pieces, codec);
}

async function wholeOf(pieces: AsyncIterable<Uint8Array>, { name }: Codec): Promise<Uint8Array> {
  const held: Uint8Array[] = [];
  let size = 0;
  for await (const piece of pieces) {
    size += piece.length;
    if (size > mostBytes)
      throw new Failure('output_invalid', `a body in the format ${name} of more than ${mostBytes} bytes: write a file`);
    held.push(piece);
  }
  return Buffer.concat(held, size);
}
