import { parentPort } from 'node:worker_threads';
import { Failure } from '../errors/failure.ts';
import type { DecodingAnswer, DecodingJob } from './decoder-pool.ts';
import { type Piece, piecesOf } from './pieces.ts';
import { codecOf } from './registry.ts';

/** The program of a worker thread that decodes bodies: a job, then `next` for each further piece of its value. */
const port = parentPort as NonNullable<typeof parentPort>;
const state: { pieces: Iterator<Piece> | undefined } = { pieces: undefined };

port.on('message', async (message: DecodingJob | 'next') => {
  try {
    if (message !== 'next') state.pieces = piecesOf(await decoded(message));
    const next = state.pieces?.next();
    if (next === undefined || next.done === true) return;
    port.postMessage({ piece: next.value } satisfies DecodingAnswer, [next.value.tokens.buffer]);
  } catch (error) {
    const failure = error instanceof Failure ? error : undefined;
    const [code, text] = failure
      ? [failure.code, failure.message]
      : ['body_undecodable' as const, 'the body is not valid'];
    port.postMessage({ code, text } satisfies DecodingAnswer);
  }
});

async function decoded({ format, bytes, sheet, ...form }: DecodingJob): Promise<unknown> {
  if (sheet !== undefined) return (await import('./excel/workbook.ts')).sheetRowsOf(bytes, sheet.name);
  const codec = await codecOf(format);
  return codec.decode(bytes, form);
}
