import { Failure } from '../../foundation/errors/failure.ts';
import { serveThread } from '../threads/serve.ts';
import type { DecodingJob } from './decoder-pool.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { codecOf } from './registry.ts';

/** The program of a worker thread that decodes bodies: a job, then `next` for each further piece of its value. */
const state: { pieces: Iterator<Piece> | undefined } = { pieces: undefined };

serveThread<DecodingJob | 'next'>(
  async (message) => {
    if (message !== 'next') state.pieces = piecesOf(await decoded(message));
    const piece = state.pieces?.next().value as Piece;
    return { value: piece, transfer: [piece.tokens.buffer] };
  },
  () => new Failure('body_undecodable', 'the body is not valid'),
);

async function decoded({ format, bytes, sheet, ...form }: DecodingJob): Promise<unknown> {
  if (sheet !== undefined) return (await import('./excel/workbook.ts')).sheetRowsOf(bytes, sheet.name);
  const codec = await codecOf(format);
  return codec.decode(bytes, form);
}
