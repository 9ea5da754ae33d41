import { randomBytes } from 'node:crypto';
import type { ContentBytes } from '../../../foundation/contracts/content.ts';
import type { StreamedBody } from '../../../foundation/contracts/http.ts';
import type { Slice } from './ranges.ts';

/** A content of which parts can be had. */
export type Divisible = ContentBytes & Required<Pick<ContentBytes, 'part'>> & { readonly size: number };

/** Several ranges of a content as the parts of one body, `multipart/byteranges` (RFC 9110, 14.6). */
export function byteRanges(
  bytes: Divisible,
  slices: readonly Slice[],
  contentType: string,
): { readonly contentType: string; readonly body: StreamedBody } {
  // No one who stores a file knows it, so that no file holds what ends a part.
  const boundary = randomBytes(18).toString('hex');
  const heads = slices.map(
    (slice) =>
      `\r\n--${boundary}\r\nContent-Type: ${contentType}\r\nContent-Range: ${contentRange(slice, bytes.size)}\r\n\r\n`,
  );
  const tail = `\r\n--${boundary}--\r\n`;
  const framing = heads.reduce((sum, head) => sum + Buffer.byteLength(head), tail.length);
  const length = slices.reduce((sum, { start, end }) => sum + end - start, framing);
  async function* pieces(): AsyncGenerator<Uint8Array | string> {
    for (const [at, { start, end }] of slices.entries()) {
      yield heads[at] as string;
      yield* bytes.part(start, end) as AsyncIterable<Uint8Array>;
    }
    yield tail;
  }
  return {
    contentType: `multipart/byteranges; boundary=${boundary}`,
    body: { pieces: pieces(), length, isFreeable: bytes.isFreeable },
  };
}

/** The header `Content-Range` of a range; without one, of a content that lacks all that was asked for. */
export function contentRange(slice: Slice | undefined, size: number): string {
  return slice === undefined ? `bytes */${size}` : `bytes ${slice.start}-${slice.end - 1}/${size}`;
}
