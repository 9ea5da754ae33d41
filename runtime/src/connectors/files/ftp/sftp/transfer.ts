import { becameShorter } from '../transfer.ts';
import { untilEnded } from '../until-ended.ts';
import { lost } from './failure.ts';
import type { SftpSession } from './session.ts';

/** Bytes of one request. */
const pieceBytes = 32 * 1024;
/** Requests that are under way, so that a transfer does not wait for each answer. */
const together = 32;

/** So many bytes of an open file from `start` on. The requests that are under way when it is ended early are waited for. */
export async function* readPieces(
  session: SftpSession,
  handle: Buffer,
  { path, start, length }: { readonly path: string; readonly start: number; readonly length: number },
): AsyncGenerator<Buffer, void, undefined> {
  const underWay: Promise<Buffer>[] = [];
  const end = start + length;
  let next = start;
  const request = () => {
    const [at, size] = [next, Math.min(pieceBytes, end - next)];
    next += size;
    const piece = readPiece(session, handle, at, size, path);
    // It is looked at when its turn comes.
    piece.catch(() => undefined);
    underWay.push(piece);
  };
  try {
    for (;;) {
      while (next < end && underWay.length < together) request();
      const piece = await underWay.shift();
      if (piece === undefined) return;
      yield piece;
    }
  } finally {
    await Promise.allSettled(underWay);
  }
}

/** A server may answer with less than it was asked for. */
async function readPiece(session: SftpSession, handle: Buffer, start: number, size: number, path: string) {
  const piece = Buffer.allocUnsafeSlow(size);
  for (let at = 0; at < size; ) {
    const read = await session.ask<number>((answer) =>
      session.sftp.read(handle, piece, at, size - at, start + at, (error, count) => answer(error, count)),
    );
    if (!(read > 0)) throw becameShorter(path);
    at += read;
  }
  return piece;
}

/** Writes all bytes of a source from `start` on, and answers their number. */
export async function writePieces(
  session: SftpSession,
  handle: Buffer,
  start: number,
  source: AsyncIterable<Uint8Array>,
): Promise<number> {
  const underWay = new Set<Promise<void>>();
  const failed: { error?: unknown } = {};
  let at = start;
  const write = (piece: Buffer) => {
    // The client copies the bytes before it returns.
    const work: Promise<void> = session
      .ask<void>((answer) =>
        session.sftp.write(handle, piece, 0, piece.length, at, (error) => answer(error, undefined)),
      )
      .catch((error: unknown) => {
        failed.error ??= error ?? lost(new Error('nothing was said'));
      })
      .finally(() => underWay.delete(work));
    at += piece.length;
    underWay.add(work);
  };
  try {
    for await (const { buffer, byteOffset, byteLength } of untilEnded(source, session.ended))
      for (let from = 0; from < byteLength; from += pieceBytes) {
        if (failed.error !== undefined) throw failed.error;
        write(Buffer.from(buffer, byteOffset + from, Math.min(pieceBytes, byteLength - from)));
        if (underWay.size >= together) await Promise.race(underWay);
      }
  } finally {
    await Promise.all(underWay);
  }
  if (failed.error !== undefined) throw failed.error;
  return at - start;
}
