import type { HttpExchange } from '../../../foundation/contracts/http.ts';
import { Failure } from '../../../foundation/errors/failure.ts';
import { free } from '../../content/free.ts';
import { Spool } from '../../content/spool.ts';

/**
 * Reads the whole body and hands it over, or the failure: `body_too_large` as soon as it is known, `cancelled` when the
 * caller disconnects. Calls back exactly once.
 */
export function readBody(exchange: HttpExchange, limit: number, done: (body: Buffer | Failure) => void): void {
  const { request } = exchange;
  if (Number(request.headers['content-length']) > limit) {
    done(tooLarge(limit));
    return;
  }
  exchange.takeBody();
  let first: Buffer | undefined;
  let more: Buffer[] | undefined;
  let length = 0;
  let over = false;
  const finish = (body: Buffer | Failure) => {
    if (over) return;
    over = true;
    done(body);
  };
  request.on('data', (chunk: Buffer) => {
    if (over) return;
    length += chunk.length;
    if (length > limit) {
      exchange.leaveBody();
      first = more = undefined;
      return finish(tooLarge(limit));
    }
    if (first === undefined) first = chunk;
    else if (more === undefined) more = [first, chunk];
    else more.push(chunk);
  });
  request.on('end', () => finish(more === undefined ? (first ?? empty) : Buffer.concat(more, length)));
  const lost = () => {
    if (!over) finish(gone());
  };
  request.on('error', lost);
  request.on('close', lost);
}

/**
 * Keeps the whole body as it comes: the caller sends no faster than that. Rejects with a Failure as `readBody` gives it, and
 * keeps nothing then. The caller that takes what is kept closes it.
 */
export async function keepBody(exchange: HttpExchange, limit: number): Promise<Spool> {
  const kept = new Spool();
  try {
    await takeChunks(exchange, limit, async (chunk) => {
      await kept.append(chunk);
      return true;
    });
    return kept;
  } catch (error) {
    kept.close();
    throw error;
  }
}

/**
 * Hands over the chunks of a body of at most `limit` bytes one after another: the next one when what `take` returns has
 * settled. Where that is true, the chunk is not needed any more, and its memory is freed. Rejects with a Failure as
 * `readBody` gives it, or with what `take` throws.
 */
export function takeChunks(
  exchange: HttpExchange,
  limit: number,
  take: (chunk: Buffer) => Promise<boolean>,
): Promise<void> {
  const { request } = exchange;
  if (Number(request.headers['content-length']) > limit) return Promise.reject(tooLarge(limit));
  exchange.takeBody();
  let received = 0;
  let over = false;
  return new Promise((resolve, reject) => {
    const fail = (error: unknown) => {
      if (over) return;
      over = true;
      exchange.leaveBody();
      reject(error);
    };
    request.on('data', (chunk: Buffer) => {
      if (over) return;
      received += chunk.length;
      if (received > limit) return fail(tooLarge(limit));
      request.pause();
      Promise.resolve(chunk)
        .then(take)
        .then((isDone) => {
          if (isDone) free(chunk);
          if (!over) request.resume();
        })
        .catch(fail);
    });
    request.on('end', () => {
      over = true;
      resolve();
    });
    request.on('error', () => fail(gone()));
    request.on('close', () => fail(gone()));
  });
}

const empty = Buffer.alloc(0);

export function tooLarge(limit: number): Failure {
  return new Failure('body_too_large', `the body is larger than ${limit} bytes`);
}

export function gone(): Failure {
  return new Failure('cancelled', 'the caller went away while it sent its request');
}
