import { Failure } from '../../../foundation/errors/failure.ts';

/** Bytes of a file that is held in memory as a whole. */
export const largestWhole = 64 * 1024 * 1024;

/** All bytes of a file that can only be read as a whole. Throws `body_too_large`. */
export async function wholeOf(source: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of source) {
    size += piece.byteLength;
    if (size > largestWhole) throw tooLargeToHold();
    pieces.push(piece);
  }
  return Buffer.concat(pieces, size);
}

export function tooLargeToHold(): Failure {
  return new Failure('body_too_large', `the file is larger than ${largestWhole} bytes, and its format needs all of it`);
}
